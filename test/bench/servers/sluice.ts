import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FORMATS, isHls, isRtsp, isSrt, SRT_PASSPHRASE, STREAM_FORMATS, type Format } from '../load/player.ts'
import { freePort } from '../../peers/free-port.ts'
import type { BenchServer, Purpose, RunningServer, ServerStatus, SubscriberCounts } from './bench-server.ts'
import { ServerProcess } from './server-process.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** `subscribe.queuesize` as the benchmark sets it, which is its default. */
const QUEUE_BYTES = 4 * 1024 * 1024

type SluiceOptions = {
  /** `subscribe.writemerge`. */
  readonly writeMerge: string
  /** Write a CPU profile of each run into this folder. */
  readonly profileFolder: string | undefined
  /** Also measure what is not written in merges. */
  readonly hls: boolean
}

/** What sends by UDP, which is all that node:ffi is for. */
const UDP_FORMATS = ['webrtc', 'rtsp-udp', 'srt', 'srt-aes'] as const

/** This project's server, as `npm start` runs it. */
export function sluice(options: SluiceOptions): BenchServer {
  return {
    name: `sluice ${options.writeMerge}`,
    formats: options.hls ? FORMATS : STREAM_FORMATS,
    queueBytes: QUEUE_BYTES,
    start: (purpose) => start(purpose, options, []),
  }
}

/** The same where Node has no node:ffi: node:crypto encrypts, and node:dgram sends. */
export function sluiceWithoutFfi({ profileFolder }: Pick<SluiceOptions, 'profileFolder'>): BenchServer {
  return {
    name: 'sluice no-ffi',
    formats: UDP_FORMATS,
    start: (purpose) => start(purpose, { writeMerge: 'auto', profileFolder }, ['--no-experimental-ffi']),
  }
}

async function start(
  { format }: Purpose,
  { writeMerge, profileFolder }: Omit<SluiceOptions, 'hls'>,
  nodeArgs: readonly string[],
): Promise<RunningServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
  const [rtmpPort, rtspPort, httpPort, webrtcPort, srtPort] = await freePorts()
  const configFile = path.join(folder, 'config.yaml')
  const srtPassphrase = format === 'srt-aes' ? SRT_PASSPHRASE : ''
  const ports = { rtmpPort, rtspPort, httpPort, webrtcPort, srtPort }
  await writeFile(configFile, configText({ folder, ...ports, writeMerge, srtPassphrase }))
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profileFolder)}`]
  const args = [...nodeArgs, ...profile, ...(await startArgs()), '-c', configFile]
  const server = new ServerProcess({
    program: process.execPath,
    args,
    folder,
    ports: [rtmpPort, rtspPort, httpPort],
  })
  await server.up()
  const http = `http://127.0.0.1:${httpPort}`
  return {
    rtmpPort,
    target: (format, path) => ({
      format,
      port: isRtsp(format) ? rtspPort : isSrt(format) ? srtPort : format === 'rtmp' ? rtmpPort : httpPort,
      path: addressOf(format, path),
    }),
    usage: () => server.usage(),
    status: () => statusOf(http, writeMerge === 'auto'),
    subscribers: () => subscribersOf(http),
    stop: () => server.stop(),
  }
}

async function freePorts(): Promise<[number, number, number, number, number]> {
  return Promise.all([freePort(), freePort(), freePort(), freePort(), freePort()])
}

function addressOf(format: Format, path: string): string {
  if (isHls(format)) return `/hls/${path}/index.m3u8${format === 'hls-segments' ? '?format=fmp4' : ''}`
  if (format === 'webrtc') return `/webrtc/play/${path}`
  if (isSrt(format)) return `subscribe:/${path}`
  return format === 'rtmp' || isRtsp(format) ? path : `/flv/${path}.flv`
}

/** What `npm start` gives to Node: all after `exec node`. */
async function startArgs(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [, , ...args] = manifest.scripts.start.split(' ')
  return args.map((arg) => (arg.startsWith('-') ? arg : path.join(ROOT, arg)))
}

type ConfigInit = {
  /** Of this server alone. */
  readonly folder: string
  readonly rtmpPort: number
  readonly rtspPort: number
  readonly httpPort: number
  readonly webrtcPort: number
  readonly srtPort: number
  /** Empty for none. */
  readonly srtPassphrase: string
  readonly writeMerge: string
}

function configText(init: ConfigInit): string {
  const { folder, rtmpPort, rtspPort, httpPort, webrtcPort, srtPort, srtPassphrase, writeMerge } = init
  return `global:
  loglevel: warn
  datadir: ${folder}
  http: { listenaddr: '127.0.0.1:${httpPort}' }
  subscribe: { writemerge: ${writeMerge}, queuesize: ${QUEUE_BYTES} }
rtmp: { tcp: { listenaddr: '127.0.0.1:${rtmpPort}' } }
rtsp: { tcp: { listenaddr: '127.0.0.1:${rtspPort}' } }
webrtc: { port: ['udp:${webrtcPort}'] }
srt: { listenaddr: '127.0.0.1:${srtPort}', passphrase: '${srtPassphrase}' }
demo: { enable: false }
`
}

/** The merge window is told as `auto` has it, so it says nothing of the others. */
async function statusOf(http: string, auto: boolean): Promise<ServerStatus> {
  const text = await (await fetch(`${http}/metrics`)).text()
  const value = (name: string) => {
    const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'mu').exec(text)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  const utilization = value('sluice_event_loop_utilization')
  const windowSeconds = value('sluice_stream_write_merge_window_seconds') ?? value('sluice_write_merge_window_seconds')
  const delaySeconds = value('sluice_event_loop_delay_p99_seconds')
  return {
    ...(utilization === undefined ? {} : { eventLoopUtilization: utilization }),
    ...(windowSeconds === undefined || !auto ? {} : { mergeWindowMs: windowSeconds * 1000 }),
    ...(delaySeconds === undefined ? {} : { eventLoopDelayP99Ms: delaySeconds * 1000 }),
  }
}

async function subscribersOf(http: string): Promise<SubscriberCounts> {
  type Answer = { readonly data: readonly { readonly dropped: number; readonly skips: number }[] }
  const { data } = (await (await fetch(`${http}/api/subscribers`)).json()) as Answer
  let dropped = 0
  let skips = 0
  for (const subscriber of data) {
    dropped += subscriber.dropped
    skips += subscriber.skips
  }
  return { subscribers: data.length, dropped, skips }
}
