// The element for React: properties instead of attributes and listeners. React 19 needs it for its types alone.

import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from "react";
import "./index.js";

const EVENTS = { onLoad: "load", onError: "error", onPlay: "play", onPause: "pause", onLoop: "loop", onEnd: "end", onMarker: "marker", onInput: "input", onState: "state", onElementClick: "elementclick" };
const FLAGS = ["controls", "decorative", "worker"];

/** `<BoneLayer src="hero.bones" clip="walk" inputs={{ "mix:look": 0.5 }} onMarker={...}>a poster</BoneLayer>` */
export const BoneLayer = forwardRef(function BoneLayer(properties, outer) {
  const element = useRef(null);
  const listeners = useRef({});
  const set = useRef({});
  const { children, inputs, colors, className, reducedMotion, ...rest } = properties;
  useImperativeHandle(outer, () => element.current, []);

  const attributes = {};
  listeners.current = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name in EVENTS) listeners.current[EVENTS[name]] = value;
    else if (FLAGS.includes(name)) attributes[name] = value ? "" : undefined;
    else attributes[name] = value;
  }
  if (reducedMotion) attributes["reduced-motion"] = reducedMotion;
  if (className) attributes.class = className;

  useEffect(() => {
    const { current } = element;
    const call = (event) => listeners.current[event.type]?.(event);
    const names = Object.values(EVENTS);
    names.forEach((name) => current.addEventListener(name, call));
    return () => names.forEach((name) => current.removeEventListener(name, call));
  }, []);

  // What is not set any more goes back to the clips.
  useEffect(() => {
    let stale = false;
    const wanted = { input: inputs ?? {}, color: colors ?? {} };
    element.current.ready.then((player) => {
      if (stale) return;
      // A player that was loaded again has nothing set.
      const before = set.current.player === player ? set.current : { input: {}, color: {} };
      const apply = (kind, call) => {
        for (const name of Object.keys({ ...before[kind], ...wanted[kind] })) {
          if (before[kind][name] !== wanted[kind][name]) call(name, wanted[kind][name] ?? null);
        }
      };
      apply("input", (name, value) => player.setInput(name, value));
      apply("color", (name, value) => player.setColor(name, value));
      set.current = { player, ...wanted };
    }, () => {});
    return () => { stale = true; };
  });

  return createElement("bone-layer", { ref: element, ...attributes }, children);
});
