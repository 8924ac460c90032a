/** What a load process does. */
export interface Load<Ready, Report> {
  /** Resolves when all connections are up, or have failed. */
  start(): Promise<Ready>
  /** What is reported begins now. */
  begin(): void
  end(): Report
  stall?(): void
  resume?(): void
}

/** What a load process is told; `begin`, `stall` and `resume` are answered too. */
export type LoadCommand = 'begin' | 'end' | 'stall' | 'resume'

/** What every report of a load process has besides its own. */
export type CpuReport = { readonly cpuSeconds: number }
