// What src/bench/prox_report.cc puts into the page.

export interface Run {
  steps: number;
  simulated_s: number;
  unconverged_steps: number;
  iterations_mean: number;
  contacts_mean: number;
  residual_max: number;
  penetration_max_m: number;
  cpu_s: number;
  failure: string;
}

interface Agreement {
  farthest_m: number;
  farthest_steady_m: number;
  end_m: number;
  end_steady_m: number;
  until_missed_m: number;
  apart_at_s: number | null;
  rest_slip_m: number;
  rest_turn_rad: number;
}

/** x of the bodies the thesis draws, after every step; by their names there. */
export type Drawn = Record<string, number[]>;

export interface MethodRun extends Run, Agreement {
  method: string;
  solver: string;
  law: string;
  tolerance: number;
  step: number;
  x: Drawn;
  distance: number[];
  alone_steps: number;
  alone_converged: number;
  alone_velocity_m_s: number;
  alone_other_solutions: number;
  alone_other_m_s: number;
}

export interface FrictionCase {
  case: string;
  shape: string;
  angle_deg: number;
  friction: number;
  bodies: number;
  steady_bodies: number;
  resting_bodies: number;
  branches_at_step: number | null;
  reference: string;
  shift_m: number;
  spread_m: number;
  spread: number[];
  runs: MethodRun[];
}

export interface RelaxationRun extends Run, Agreement {
  omega: number;
  max_iterations: number;
  x: Drawn;
}

export interface RelaxationCase {
  case: string;
  figure: string;
  omegas: number[];
  limits: number[];
  pivoting: { step: number; x: Drawn };
  runs: RelaxationRun[];
}

export interface GroupRun extends Run {
  method: string;
  tolerance: number;
  seconds: number[];
}

export interface Groups {
  groups: number;
  bodies: number;
  table?: string;
  thesis?: { solver: string; seconds: number[] }[];
  runs: GroupRun[];
}

export interface ProxData {
  benchmark: 'prox';
  command: string;
  quick: boolean;
  complete: boolean;
  wall_s: number;
  machine: Record<string, string | number>;
  friction_angle: FrictionCase[];
  relaxation: RelaxationCase[];
  hexagons: Groups[];
}
