import { parseArgs } from 'node:util'
import { FORMATS, type Format } from './load/player.ts'

export const SCENARIOS = [
  'fanout',
  'hls',
  'publishers',
  'joins',
  'stalled',
  'recordings',
  'devices',
  'start',
  'units',
] as const
export type Scenario = (typeof SCENARIOS)[number]
export const PEERS = ['nginx', 'nms', 'werift', 'gstreamer', 'ffmpeg', 'no-ffi'] as const
export type Peer = (typeof PEERS)[number]

export const USAGE = `npm run bench -- [options]

  --only LIST         of ${SCENARIOS.join(', ')}; default all
  --peers LIST        of ${PEERS.join(', ')}, or none; default all.
                      no-ffi is this server by a Node without node:ffi
  --formats LIST      of ${FORMATS.join(', ')}; default all
  --writemerge LIST   settings of subscribe.writemerge to measure; default auto,350ms
  --viewers LIST      of the fan-out and of HLS; default 100,500,1000
  --publishers LIST   default 1,50,200
  --joiners N         viewers that join within one second; default 1000
  --stalled-for N     seconds that viewers stall; default 60
  --rounds N          default 5; the stalled viewers are one round
  --seconds N         measured in each round; default 8
  --json FILE         write everything measured
  --cpu-prof FOLDER   profile this server, and print where it spent its time
`

export type Options = {
  readonly only: readonly Scenario[]
  readonly peers: readonly Peer[]
  readonly formats: readonly Format[]
  readonly writeMerges: readonly string[]
  readonly viewers: readonly number[]
  readonly publishers: readonly number[]
  readonly joiners: number
  readonly stalledSeconds: number
  readonly rounds: number
  readonly seconds: number
  readonly jsonFile: string | undefined
  readonly profileFolder: string | undefined
}

/** @throws {Error} for an unknown option, or a value that is none of an option's */
export function parseOptions(args: readonly string[]): Options {
  const option = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: option,
      peers: option,
      formats: option,
      writemerge: option,
      viewers: option,
      publishers: option,
      joiners: option,
      'stalled-for': option,
      rounds: option,
      seconds: option,
      json: option,
      'cpu-prof': option,
    },
  })
  return {
    only: chosen(values.only ?? SCENARIOS.join(','), SCENARIOS),
    peers: values.peers === 'none' ? [] : chosen(values.peers ?? PEERS.join(','), PEERS),
    formats: chosen(values.formats ?? FORMATS.join(','), FORMATS),
    writeMerges: listOf(values.writemerge ?? 'auto,350ms'),
    viewers: listOf(values.viewers ?? '100,500,1000').map(positive),
    publishers: listOf(values.publishers ?? '1,50,200').map(positive),
    joiners: positive(values.joiners ?? '1000'),
    stalledSeconds: positive(values['stalled-for'] ?? '60'),
    rounds: positive(values.rounds ?? '5'),
    seconds: positive(values.seconds ?? '8'),
    jsonFile: values.json,
    profileFolder: values['cpu-prof'],
  }
}

function listOf(text: string): string[] {
  return text.split(',').filter((item) => item !== '')
}

function chosen<Name extends string>(text: string, names: readonly Name[]): Name[] {
  return listOf(text).map((item) => {
    const name = names.find((name) => name === item)
    if (name === undefined) throw new Error(`"${item}" is not one of ${names.join(', ')}`)
    return name
  })
}

function positive(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value <= 0) throw new Error(`"${text}" is not a whole number above 0`)
  return value
}
