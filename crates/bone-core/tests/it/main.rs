//! Motion against its formulas, brute force and an independent solver.

mod any_input;
mod clips;
mod constraints;
mod curves;
mod dice;
mod drivers;
mod formulas;
mod ik_figures;
mod ik_limits;
mod ik_many;
mod other_skeletons;
mod pose_mixer;
mod sequence_parents;
mod sequences;
mod sequencing;
mod skeletons;
mod springs;
