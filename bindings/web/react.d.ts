import type { CSSProperties, ForwardRefExoticComponent, ReactNode, RefAttributes } from "react";
import type { BoneLayerElement, ElementEventMap, Place } from "./index.js";

export interface BoneLayerProperties {
  src: string;
  clip?: string;
  machine?: string;
  wear?: string;
  controls?: boolean;
  autoplay?: "auto" | "on" | "off";
  speed?: number;
  fit?: "contain" | "cover" | "none";
  poster?: string;
  alt?: string;
  decorative?: boolean;
  reducedMotion?: "poster" | "once" | "play";
  worker?: boolean;
  /** Inputs by their names. One that is left out goes back to the clips. */
  inputs?: Record<string, number | boolean | Place>;
  /** Fills by the names of elements. */
  colors?: Record<string, string>;
  className?: string;
  style?: CSSProperties;
  id?: string;
  /** The poster. */
  children?: ReactNode;
  onLoad?(event: ElementEventMap["load"]): void;
  onError?(event: ElementEventMap["error"]): void;
  onPlay?(event: ElementEventMap["play"]): void;
  onPause?(event: ElementEventMap["pause"]): void;
  onLoop?(event: ElementEventMap["loop"]): void;
  onEnd?(event: ElementEventMap["end"]): void;
  onMarker?(event: ElementEventMap["marker"]): void;
  onInput?(event: ElementEventMap["input"]): void;
  onState?(event: ElementEventMap["state"]): void;
  onElementClick?(event: ElementEventMap["elementclick"]): void;
}

export const BoneLayer: ForwardRefExoticComponent<BoneLayerProperties & RefAttributes<BoneLayerElement>>;
