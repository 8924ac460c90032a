import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PeerProcess } from '../../peers/process.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { PROGRAM, ServerCommand } from '../../support/command.ts'
import { formatNumber, formatTable } from '../report/table.ts'
import { usageOf, type Usage } from '../servers/process-usage.ts'

const PLATFORM = '34020000002000000001'
const DEVICES = 1000
const KEEPALIVE_SECONDS = 60
const CHANNELS = 200
const SETTLE_MS = 10_000
const MEASURED_MS = 60_000
const LIVE_MEASURED_MS = 20_000
const MIB = 1024 * 1024

/** The cost of devices for the server, besides what it uses at rest. */
export type DevicesResult = {
  readonly registered: { readonly count: number; readonly cpuPercent: number; readonly mebibytes: number }
  readonly live: { readonly channels: number; readonly cpuPercentPerChannel: number; readonly megabits: number }
}

/** Measures devices of GB/T 28181: many that register and keep alive, and many live channels without viewers. */
export async function runDevices(): Promise<DevicesResult> {
  return { registered: await measureRegistered(), live: await measureLive() }
}

export function formatDevices({ registered, live }: DevicesResult): string {
  const rows = [
    [
      `${registered.count} devices that keep alive each ${KEEPALIVE_SECONDS} s`,
      `${formatNumber(registered.cpuPercent, 2)} %`,
    ],
    ['their memory', `${formatNumber(registered.mebibytes, 1)} MiB`],
    [`a live channel of ${live.channels}`, `${formatNumber(live.cpuPercentPerChannel, 3)} %`],
    ['all of these, Mbit/s', formatNumber(live.megabits, 0)],
  ]
  return `\nDevices of GB/T 28181, CPU of a core\n\n${formatTable(['', 'used'], rows)}`
}

async function measureRegistered(): Promise<DevicesResult['registered']> {
  return withServer('', async (server, port) => {
    const { pid } = server.process
    const before = await settledUsage(pid)
    const args = ['--count', String(DEVICES), '--share-socket', '--keepalive', String(KEEPALIVE_SECONDS)]
    const devices = simulate(port, args)
    await waitFor(async () => (await gauge(server, 'devices{state="online"}')) === DEVICES)
    await waitFor(async () => (await gauge(server, 'channels{state="on"}')) === DEVICES)
    const after = await settledUsage(pid)
    const { cpuSeconds } = await used(pid, MEASURED_MS)
    await devices.close()
    return {
      count: DEVICES,
      cpuPercent: (cpuSeconds / (MEASURED_MS / 1000)) * 100,
      mebibytes: (after.rssBytes - before.rssBytes) / MIB,
    }
  })
}

async function measureLive(): Promise<DevicesResult['live']> {
  const config = 'gb28181: { autoinvite: true }\n'
  return withServer(config, async (server, port) => {
    const { pid } = server.process
    const devices = simulate(port, ['--channels', String(CHANNELS), '--page-size', '50', '--test-picture'])
    await waitFor(async () => (await gauge(server, 'used_ssrcs')) === CHANNELS)
    await delay(SETTLE_MS)
    const bytesBefore = await received(server)
    const { cpuSeconds } = await used(pid, LIVE_MEASURED_MS)
    const bytes = (await received(server)) - bytesBefore
    await devices.close()
    const seconds = LIVE_MEASURED_MS / 1000
    return {
      channels: CHANNELS,
      cpuPercentPerChannel: ((cpuSeconds / seconds) * 100) / CHANNELS,
      megabits: (bytes * 8) / seconds / 1_000_000,
    }
  })
}

async function withServer<Result>(
  config: string,
  measure: (server: ServerCommand, port: number) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
  await writeFile(path.join(folder, 'config.yaml'), config)
  const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
  try {
    const udp = server.records.find(({ msg, owner }) => owner === 'gb28181' && msg.endsWith('(UDP)'))
    return await measure(server, Number(udp?.['port']))
  } finally {
    await server.process.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function simulate(port: number, args: readonly string[]): PeerProcess {
  const all = ['gb-device', '--server', `sip:${PLATFORM}@127.0.0.1:${port}`, ...args]
  return new PeerProcess(process.execPath, [PROGRAM, ...all])
}

async function settledUsage(pid: number): Promise<Usage> {
  await delay(SETTLE_MS)
  return usageOf(pid)
}

async function used(pid: number, forMs: number): Promise<Usage> {
  const before = await usageOf(pid)
  await delay(forMs)
  const after = await usageOf(pid)
  return { cpuSeconds: after.cpuSeconds - before.cpuSeconds, rssBytes: after.rssBytes }
}

/** Asking for all streams costs something itself, so it is done outside of what is measured. */
async function received(server: ServerCommand): Promise<number> {
  const metrics = await scrape(server)
  return metrics
    .filter((line) => line.startsWith('sluice_received_bytes_total'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function gauge(server: ServerCommand, name: string): Promise<number | undefined> {
  const line = (await scrape(server)).find((each) => each.startsWith(`sluice_gb28181_${name} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

async function scrape(server: ServerCommand): Promise<string[]> {
  return (await (await fetch(server.http('/metrics'))).text()).split('\n')
}
