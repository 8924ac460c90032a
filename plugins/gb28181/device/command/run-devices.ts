import type { GbRecording } from '../device-options.ts'
import { DeviceSite } from '../device-site.ts'
import { GbDevice } from '../gb-device.ts'
import type { Clip } from '../media/clip.ts'
import { readClip } from '../media/clip-file.ts'
import { clipByFfmpeg } from '../media/ffmpeg-clip.ts'
import { REAL_TIMERS, Pauses } from '../timers.ts'
import { parseOptions, WrongOptions, type CommandOptions } from './command-options.ts'
import { eventLine } from './event-line.ts'
import { HELP } from './help.ts'

const EXIT_FAILURE = 1
const EXIT_USAGE = 2
/** The length of a file of a recording. */
const FILE_MS = 600_000
/** So many devices register at one time. */
const AT_ONCE = 50

/** Runs `sluice gb-device` with the arguments after it, until a signal ends it. */
export async function runDevices(args: readonly string[]): Promise<void> {
  try {
    const options = parseOptions(args, process.env)
    if (options === undefined) return void process.stdout.write(HELP)
    await run(options)
  } catch (error) {
    process.stderr.write(`sluice gb-device: ${error instanceof Error ? error.message : String(error)}\n`)
    if (error instanceof WrongOptions) process.stderr.write('"sluice gb-device --help" tells more\n')
    process.exitCode = error instanceof WrongOptions ? EXIT_USAGE : EXIT_FAILURE
  }
}

async function run(options: CommandOptions): Promise<void> {
  const ended = Promise.withResolvers<void>()
  // A launcher that passes signals on lets one come twice.
  process.on('SIGINT', ended.resolve)
  process.on('SIGTERM', ended.resolve)
  const source = await loadClip(options)
  const site = new DeviceSite({ sharesSocket: options.sharesSocket })
  const recordings = recordingsOf(options.recordedMs)
  const devices = options.ids.map(
    (id) =>
      new GbDevice({
        ...options.device,
        id,
        source,
        site,
        recordings,
        onEvent: (event) => void process.stdout.write(`${eventLine(id, event)}\n`),
      }),
  )
  const pauses = new Pauses(REAL_TIMERS)
  const waiting = [...devices]
  const workers = Array.from({ length: Math.min(AT_ONCE, devices.length) }, async () => {
    for (let device = waiting.shift(); device !== undefined; device = waiting.shift()) {
      if (await startOnce(device)) continue
      // The others do not wait for it.
      void startLater(device, pauses, options.retryMs)
    }
  })
  await ended.promise
  waiting.length = 0
  pauses.end()
  await Promise.all(devices.map((device) => device.stop()))
  await Promise.all(workers)
  process.off('SIGINT', ended.resolve)
  process.off('SIGTERM', ended.resolve)
}

/** Returns false when a device could not register; the event has told why. */
async function startOnce(device: GbDevice): Promise<boolean> {
  try {
    await device.start()
    return true
  } catch (error) {
    process.stdout.write(`${new Date().toISOString()} ${device.id} could not start: ${String(error)}\n`)
    return false
  }
}

async function startLater(device: GbDevice, pauses: Pauses, retryMs: number): Promise<void> {
  while (await pauses.wait(retryMs)) if (await startOnce(device)) return
}

function loadClip({ file, ffmpeg }: CommandOptions): Promise<Clip> {
  return ffmpeg === undefined && file !== undefined ? readClip(file) : clipByFfmpeg(ffmpeg ?? {})
}

/** Files one after another, of which the last one ends now. */
function recordingsOf(recordedMs: number): GbRecording[] {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const recordings: GbRecording[] = []
  for (let startMs = nowMs - recordedMs; startMs < nowMs; startMs += FILE_MS) {
    const end = new Date(Math.min(startMs + FILE_MS, nowMs))
    recordings.push({ start: new Date(startMs), end, name: `recording ${recordings.length + 1}` })
  }
  return recordings
}
