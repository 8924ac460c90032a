import { Type } from 'sluice/sdk'
import { parseCruiseTrack, parseCruiseTracks } from '../manscdp/cruise.ts'
import {
  cruisePointCommand,
  cruiseStartCommand,
  cruiseValueCommand,
  scanCommand,
  scanSpeedCommand,
  stopCommand,
} from '../manscdp/front-end-command.ts'
import { cruiseTrackListQuery, cruiseTrackQuery } from '../manscdp/queries.ts'
import type { Platform } from '../platform.ts'
import { assertKnows } from './known-feature.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'

const MAX_BYTE = 255
const MAX_WORD = 4095

const Byte = (minimum = 0) => Type.Integer({ minimum, maximum: MAX_BYTE })
const OptionalByte = () => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_BYTE }))
const Word = () => Type.Integer({ minimum: 1, maximum: MAX_WORD })

/** Sends a command of the front end, 16 hex digits, for a channel. */
export type SendCommand = (ids: { readonly deviceId: string; readonly channelId: string }, hex: string) => Promise<void>

/** Adds the operations of tours from preset to preset (api.md 7). */
export function addCruiseOperations(add: AddOperation, platform: Platform, send: SendCommand): void {
  const { inquiries } = platform
  const common = { method: 'GET', params: ONE_CHANNEL, access: 'admin' } as const
  const cruiseId = Byte()

  add({
    ...common,
    path: 'api/cruise/point/add/{deviceId}/{channelId}',
    summary: 'Add a preset to a tour',
    query: Type.Object({ cruiseId, presetId: Byte(1) }),
    handle: ({ params, query }) => send(params, cruisePointCommand('addPoint', query.cruiseId, query.presetId)),
  })

  add({
    ...common,
    path: 'api/cruise/point/delete/{deviceId}/{channelId}',
    summary: 'Take a preset out of a tour; preset 0 deletes the tour',
    query: Type.Object({ cruiseId, presetId: Byte() }),
    handle: ({ params, query }) => send(params, cruisePointCommand('deletePoint', query.cruiseId, query.presetId)),
  })

  add({
    ...common,
    path: 'api/cruise/speed/{deviceId}/{channelId}',
    summary: 'Set the speed of a tour',
    query: Type.Object({ cruiseId, speed: Word() }),
    handle: ({ params, query }) => send(params, cruiseValueCommand('speed', query.cruiseId, query.speed)),
  })

  add({
    ...common,
    path: 'api/cruise/time/{deviceId}/{channelId}',
    summary: 'Set the seconds at each preset of a tour',
    query: Type.Object({ cruiseId, time: Word() }),
    handle: ({ params, query }) => send(params, cruiseValueCommand('dwell', query.cruiseId, query.time)),
  })

  add({
    ...common,
    path: 'api/cruise/start/{deviceId}/{channelId}',
    summary: 'Start a tour',
    query: Type.Object({ cruiseId }),
    handle: ({ params, query }) => send(params, cruiseStartCommand(query.cruiseId)),
  })

  add({
    ...common,
    path: 'api/cruise/stop/{deviceId}/{channelId}',
    summary: 'Stop a tour',
    query: Type.Object({ cruiseId: OptionalByte() }),
    handle: ({ params }) => send(params, stopCommand()),
  })

  add({
    method: 'GET',
    path: 'api/cruise/query/{deviceId}/{channelId}',
    summary: 'Ask a camera of 2022 for its tours',
    params: ONE_CHANNEL,
    answer: Type.Array(Type.Object({ cruiseId: Type.Integer(), name: Type.String() })),
    async handle({ params }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'CruiseTrackListQuery')
      const tracks = parseCruiseTracks(await inquiries.ask(device, cruiseTrackListQuery(params.channelId)))
      return tracks.map(({ number, name }) => ({ cruiseId: number, name }))
    },
  })

  add({
    method: 'GET',
    path: 'api/cruise/track/{deviceId}/{channelId}',
    summary: 'Ask a camera of 2022 for the presets of a tour',
    params: ONE_CHANNEL,
    query: Type.Object({ cruiseId }),
    answer: Type.Object({
      cruiseId: Type.Integer(),
      name: Type.String(),
      points: Type.Array(
        Type.Object({
          presetId: Type.Integer(),
          time: Type.Integer({ description: 'Seconds' }),
          speed: Type.Integer(),
        }),
      ),
    }),
    async handle({ params, query: { cruiseId: wanted } }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'CruiseTrackQuery')
      const answer = await inquiries.ask(device, cruiseTrackQuery(params.channelId, wanted))
      const { number, name, points } = parseCruiseTrack(answer)
      const shown = points.map(({ presetIndex, staySeconds, speed }) => ({
        presetId: presetIndex,
        time: staySeconds,
        speed,
      }))
      return { cruiseId: number, name, points: shown }
    },
  })
}

/** Adds the operations of scans from side to side. */
export function addScanOperations(add: AddOperation, send: SendCommand): void {
  const common = { method: 'GET', params: ONE_CHANNEL, access: 'admin' } as const
  const scanId = Byte()

  add({
    ...common,
    path: 'api/scan/start/{deviceId}/{channelId}',
    summary: 'Start a scan from side to side',
    query: Type.Object({ scanId }),
    handle: ({ params, query }) => send(params, scanCommand('start', query.scanId)),
  })

  add({
    ...common,
    path: 'api/scan/stop/{deviceId}/{channelId}',
    summary: 'Stop a scan',
    query: Type.Object({ scanId: OptionalByte() }),
    handle: ({ params }) => send(params, stopCommand()),
  })

  add({
    ...common,
    path: 'api/scan/set/left/{deviceId}/{channelId}',
    summary: 'Have a scan begin where the camera looks now',
    query: Type.Object({ scanId }),
    handle: ({ params, query }) => send(params, scanCommand('left', query.scanId)),
  })

  add({
    ...common,
    path: 'api/scan/set/right/{deviceId}/{channelId}',
    summary: 'Have a scan end where the camera looks now',
    query: Type.Object({ scanId }),
    handle: ({ params, query }) => send(params, scanCommand('right', query.scanId)),
  })

  add({
    ...common,
    path: 'api/scan/set/speed/{deviceId}/{channelId}',
    summary: 'Set the speed of a scan',
    query: Type.Object({ scanId, speed: Word() }),
    handle: ({ params, query }) => send(params, scanSpeedCommand(query.scanId, query.speed)),
  })
}
