import { loadavg } from 'node:os'
import { newestProfile, topFunctions } from './report/profile.ts'
import { formatNumber } from './report/table.ts'
import type { Measurement, RunOptions, ServerScenario } from './scenarios/scenario.ts'
import type { BenchServer } from './servers/bench-server.ts'

/**
 * Measures all cases of a scenario, round by round. Within a round the servers take turns case by case, and each round
 * begins with another of them, so that a slow minute of the machine hits none more than the others.
 */
export async function runRounds(
  scenario: ServerScenario,
  servers: readonly BenchServer[],
  run: RunOptions,
  print: (text: string) => void,
): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  const rounds = Math.min(run.rounds, scenario.maxRounds ?? Infinity)
  for (let round = 1; round <= rounds; round++) {
    for (const { format, count } of scenario.cases(run)) {
      const able = servers.filter(({ formats }) => formats.includes(format))
      const first = round % Math.max(1, able.length)
      for (const server of [...able.slice(first), ...able.slice(0, first)]) {
        print(`${scenario.name} ${format} ${count}, round ${round}, ${server.name}: `)
        const measured = await attempt(scenario, server, { format, count, round }, run, print)
        if (measured !== undefined) measurements.push(measured)
      }
    }
  }
  return measurements
}

/** A server that fails is part of the result, and must not end the run. */
async function attempt(
  scenario: ServerScenario,
  server: BenchServer,
  { format, count, round }: Pick<Measurement, 'format' | 'count' | 'round'>,
  run: RunOptions,
  print: (text: string) => void,
): Promise<Measurement | undefined> {
  try {
    const { values, span } = await scenario.measure(server, format, count, run)
    const [loadAverage = NaN] = loadavg()
    const shown = scenario.columns.flatMap(({ key, title, digits }) =>
      values[key] === undefined ? [] : `${title} ${formatNumber(values[key], digits)}`,
    )
    print(`${shown.join(', ')}\n`)
    if (run.profileFolder !== undefined && span !== undefined && server.name.startsWith('sluice')) {
      const file = await newestProfile(run.profileFolder)
      if (file !== undefined) print(`\n${await topFunctions(file, span)}\n`)
    }
    return { scenario: scenario.name, server: server.name, format, count, round, loadAverage, values }
  } catch (error) {
    print(`FAILED: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}
