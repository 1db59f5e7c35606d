// What src/lab/report.cc puts into the page, and what several parts of the page ask of it.
import type { BenchData } from './bench_data';
import type { ProxData } from './prox_data';

/** iteration, seconds, total, normal, friction, open, stick, slide */
export type HistoryRow = [number, number, number | null, number | null, number | null, number, number, number];

export interface Result {
  problem: string;
  name: string;
  family: string;
  contacts: number;
  unknowns: number;
  solver: string;
  used: string;
  law: string;
  tolerance: number;
  status: string;
  message: string;
  iterations: number;
  residual_judged: number | null;
  time_s: number;
  cpu_s: number;
  repeats: number;
  history?: HistoryRow[];
}

export interface Summary {
  solver: string;
  problems: number;
  solved: number;
  failed: number;
  not_applicable: number;
  wins: number;
  median_cpu_s: number | null;
  mean_ratio: number | null;
}

export interface Statistics {
  tolerance: number;
  family: string; // empty: all problems
  solvers: Summary[];
  profiles: Record<string, [ratio: number, share: number][]>;
}

export interface Data {
  tolerances: number[];
  judged_by: 'scree' | 'siconos';
  law: string;
  time_limit_s: number;
  repeats: number;
  jobs: number;
  solvers: string[];
  command: string;
  machine: Record<string, string | number>;
  solver_options?: string[];
  complete: boolean;
  problems: number;
  problems_left: number; // not counted: interrupted before all solvers were through with them
  skipped: { problem: string; message: string }[];
  statistics: Statistics[];
  results: Result[];
}

export function readData(): Data | ProxData | BenchData {
  return JSON.parse(document.getElementById('scree-results')!.textContent!) as Data | ProxData | BenchData;
}

export const isSolved = (result: Result): boolean => result.status === 'converged';
export const doesApply = (result: Result): boolean => result.status !== 'not_applicable';

export function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

export function statisticsOf(data: Data, tolerance: number, family = ''): Statistics | undefined {
  return data.statistics.find((entry) => entry.tolerance === tolerance && entry.family === family);
}

/** 12.3 ms */
export function timeText(seconds: number | null): string {
  if (seconds === null || !(seconds > 0)) return '–';
  if (seconds < 1e-3) return `${digits(1e6 * seconds)} µs`;
  if (seconds < 1) return `${digits(1e3 * seconds)} ms`;
  return `${digits(seconds)} s`;
}

/** Three digits, without an exponent where that is short. */
export function digits(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(3)));
  return value.toExponential(1).replace('e+', 'e');
}

/** 1e-6 as it is written on the command line. */
export const toleranceText = (value: number): string => value.toExponential().replace('e+', 'e');
