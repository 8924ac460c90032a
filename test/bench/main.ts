/** Measures this server side by side with others; see docs/performance.md. */
import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { formatDevices, runDevices } from './devices/devices.ts'
import { sourceFile } from './media/source-file.ts'
import { parseOptions, USAGE, type Options } from './options.ts'
import { formatRecordings, runRecordings } from './recordings/recordings.ts'
import { formatRatios, formatSummaries, ratiosOf, summarize } from './report/summary.ts'
import { formatNumber, formatTable } from './report/table.ts'
import { runRounds } from './rounds.ts'
import { fanOut } from './scenarios/fan-out.ts'
import { hls } from './scenarios/hls.ts'
import { joins } from './scenarios/joins.ts'
import { publishers } from './scenarios/publishers.ts'
import type { Measurement, RunOptions, ServerScenario } from './scenarios/scenario.ts'
import { stalled } from './scenarios/stalled.ts'
import type { BenchServer } from './servers/bench-server.ts'
import { ffmpegSrt } from './servers/ffmpeg-srt.ts'
import { gstreamerSrt } from './servers/gstreamer-srt.ts'
import { nginxFiles } from './servers/nginx-files.ts'
import { nginxRtmp } from './servers/nginx-rtmp.ts'
import { nodeMediaServer } from './servers/node-media-server.ts'
import { sluice, sluiceWithoutFfi } from './servers/sluice.ts'
import { werift } from './servers/werift.ts'
import { formatStarts, runStarts } from './start/start.ts'
import { runUnitBenches } from './units/units.ts'
import type { UnitResult } from './units/unit-bench.ts'

const SCENARIOS: readonly ServerScenario[] = [fanOut, hls, publishers, joins, stalled]

await main()

async function main(): Promise<void> {
  const options = readOptions()
  if (options === undefined) return
  const run: RunOptions = { ...options, sourceFile: await sourceFile() }
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version, loadAverageBefore: loadavg() }
  print(`${machine.cpus} × ${machine.model}, Node ${machine.node}, load average ${formatLoad()}\n`)

  const units = options.only.includes('units') ? await runUnitBenches(run.sourceFile) : []
  if (units.length > 0) printUnits(units)
  const recordings = options.only.includes('recordings') ? await runRecordings() : undefined
  if (recordings !== undefined) print(formatRecordings(recordings))
  const devices = options.only.includes('devices') ? await runDevices() : undefined
  if (devices !== undefined) print(formatDevices(devices))
  const starts = options.only.includes('start') ? await runStarts(options.rounds) : undefined
  if (starts !== undefined) print(formatStarts(starts))
  const scenarios = SCENARIOS.filter(({ name }) => options.only.includes(name))
  const servers = scenarios.length === 0 ? [] : await findServers(options)
  const measurements: Measurement[] = []
  const results = []
  for (const scenario of scenarios) {
    const measured = await runRounds(scenario, servers, run, print)
    const summaries = summarize(measured)
    const ratios = ratiosOf(summaries, scenario.compared)
    measurements.push(...measured)
    results.push({ scenario: scenario.name, summaries, ratios })
    const rounds = Math.max(0, ...summaries.map((summary) => summary.rounds))
    print(`\n${scenario.title}; medians of ${rounds} rounds\n\n`)
    print(formatSummaries(scenario, summaries))
    if (ratios.length > 0) print(`\n${formatRatios(scenario, ratios)}`)
  }
  print(`\nload average at the end ${formatLoad()}\n`)
  if (options.jsonFile === undefined) return
  const report = {
    date: new Date().toISOString(),
    machine,
    options,
    units,
    recordings,
    devices,
    starts,
    results,
    measurements,
  }
  await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`)
}

function readOptions(): Options | undefined {
  if (process.argv.includes('--help')) return void print(USAGE)
  try {
    return parseOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exitCode = 2
    return undefined
  }
}

/** What is not there is left out, and said to be. */
async function findServers({ writeMerges, profileFolder, peers, only }: Options): Promise<BenchServer[]> {
  if (only.every((name) => name === 'units' || name === 'recordings' || name === 'devices')) return []
  const servers = writeMerges.map((writeMerge, index) => sluice({ writeMerge, profileFolder, hls: index === 0 }))
  if (peers.includes('nginx')) {
    const nginx = nginxRtmp()
    if (nginx !== undefined) servers.push(nginx)
    else print('SKIPPED: nginx-rtmp is not installed (Debian: apt-get install nginx libnginx-mod-rtmp)\n')
    const files = nginxFiles()
    if (files !== undefined) servers.push(files)
    else print('SKIPPED: nginx is not installed (Debian: apt-get install nginx)\n')
  }
  if (peers.includes('nms')) {
    const nms = await nodeMediaServer()
    if (nms !== undefined) servers.push(nms)
    else print('SKIPPED: node-media-server could not be fetched from npm\n')
  }
  if (peers.includes('no-ffi')) servers.push(sluiceWithoutFfi({ profileFolder }))
  if (peers.includes('werift')) servers.push(werift())
  if (peers.includes('gstreamer')) {
    const gstreamer = gstreamerSrt()
    if (gstreamer !== undefined) servers.push(gstreamer)
    else print('SKIPPED: GStreamer with srtsink is not installed (npm run peers)\n')
  }
  if (peers.includes('ffmpeg')) {
    const ffmpeg = ffmpegSrt()
    if (ffmpeg !== undefined) servers.push(ffmpeg)
    else print('SKIPPED: ffmpeg is not installed (npm run peers)\n')
  }
  return servers
}

function printUnits(units: readonly UnitResult[]): void {
  print('\nPer access unit, without sockets\n\n')
  print(
    formatTable(
      ['what', 'units/s', 'ns/unit', 'heap bytes/unit'],
      units.map(({ name, unitsPerSecond, nanosecondsPerUnit, heapBytesPerUnit }) => [
        name,
        formatNumber(unitsPerSecond, 0),
        formatNumber(nanosecondsPerUnit, 0),
        formatNumber(heapBytesPerUnit, 0),
      ]),
    ),
  )
}

function formatLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')
}

function print(text: string): void {
  process.stdout.write(text)
}
