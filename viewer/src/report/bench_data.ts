// What src/bench/bench_report.cc puts into the page.

export interface Times {
  median: number;
  lowest: number;
  highest: number;
}

export interface BenchRun {
  part: string;
  scene: string;
  bodies: number;
  step: number;
  steps: number;
  engine: string;
  method: string;
  family: string; // methods that differ by their knob only
  knob: string;
  threads: number;
  failure: string;
  // The rest is there when nothing failed.
  cpu_ms?: Times;
  wall_ms?: Times;
  cpu_max_ms?: number;
  penetration_m?: number | null;
  penetration_end_m?: number | null;
  joint_separation_m?: number | null;
  energy_error?: number | null;
  kinetic_per_body_J?: number | null;
  displacement_m?: number | null;
  speed_end?: number | null;
  displaced?: number;
  escaped?: number;
  acceleration?: number | null;
  exact_acceleration?: number;
  residual?: number | null;
  residual_max?: number | null;
  converged_steps?: number | null;
}

export interface SolveRun {
  problem: string;
  contacts: number;
  method: string;
  tolerance: number;
  solved: boolean;
  residual: number | null;
  cpu_s: number;
  iterations: number;
  note: string;
}

export interface BenchData {
  benchmark: 'scenes';
  command: string;
  quick: boolean;
  complete: boolean;
  repeats: number;
  wall_s: number;
  machine: Record<string, string | number>;
  absent: string[];
  runs: BenchRun[];
  growth: { family: string; exponent: number }[];
  solves: SolveRun[];
}

export const isDone = (run: BenchRun): boolean => run.cpu_ms !== undefined;

export const kPartTitles: Record<string, string> = {
  wall: 'Wall, hit by a ball',
  standing: 'Wall, left standing',
  pile: 'Pile of grains',
  incline: 'Box on an incline',
  chain: 'Chain with a load',
  hexagons: 'Hexagons in the plane',
  scaling: 'Growth with bodies and threads',
};

export const kPartNotes: Record<string, string> = {
  wall: 'A ball of 500 kg goes through a brick wall at 15 m/s. Overlap is the deepest of any two bodies; most of it is the moment of the hit.',
  standing: 'The same wall with nothing thrown at it: whatever moves is an error.',
  pile: 'Spheres of 5 cm radius fall into an open box.',
  incline: 'A box on a slope of 20 degrees. With friction 0.5 it must not move; with 0.3 its acceleration is known.',
  chain: 'Links of 1 kg on ball joints with 100 kg at the end, released level. Engines with reduced coordinates cannot come apart.',
  hexagons: 'Hexagons without friction fall on two platforms.',
};
