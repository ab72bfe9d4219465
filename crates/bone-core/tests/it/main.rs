//! Motion against its formulas, brute force and an independent solver.

mod clips;
mod constraints;
mod curves;
mod drivers;
mod formulas;
mod ik_figures;
mod ik_limits;
mod shooting;
mod shot_parents;
mod shots;
mod skeletons;
mod springs;
