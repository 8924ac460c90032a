import { InvalidRequest, Type } from 'sluice/sdk'
import { frontEndControl } from '../manscdp/controls.ts'
import {
  auxiliaryCommand,
  focusIrisCommand,
  frontEndCommand,
  isFrontEndCommand,
  panTiltCommand,
  WIPER_SWITCH,
} from '../manscdp/front-end-command.ts'
import { parsePtzPosition } from '../manscdp/ptz-position.ts'
import { ptzPositionQuery } from '../manscdp/queries.ts'
import type { Platform } from '../platform.ts'
import { assertKnows } from './known-feature.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'
import { addCruiseOperations, addScanOperations, type SendCommand } from './tour-operations.ts'

const MAX_BYTE = 255
const MAX_NIBBLE = 15
const DEFAULT_SPEED = 50

const Byte = (minimum = 0) => Type.Integer({ minimum, maximum: MAX_BYTE })
const OptionalByte = () => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_BYTE }))
const Speed = () => Type.Integer({ minimum: 0, maximum: MAX_BYTE, default: DEFAULT_SPEED })
const Switch = () => Type.Union([Type.Literal('on'), Type.Literal('off')])
const Turn = (limit: number, description: string) =>
  Type.Integer({ minimum: -limit, maximum: limit, default: 0, description })

/** Adds the operations that move cameras, and what belongs to them (api.md 7, GB/T 28181-2022 annex A.3). */
export function addFrontEndOperations(add: AddOperation, platform: Platform): void {
  const { inquiries } = platform
  const common = { method: 'GET', params: ONE_CHANNEL, access: 'admin' } as const
  const send: SendCommand = async (ids, hex) => {
    await inquiries.tell(targetOf(platform, ids), frontEndControl(ids.channelId, hex))
  }

  add({
    ...common,
    path: 'api/ptz/{deviceId}/{channelId}',
    summary: 'PTZ control',
    query: Type.Object({ ptzcmd: Type.String({ description: 'A command of 8 bytes as 16 hex digits, from A50F on' }) }),
    handle: ({ params, query: { ptzcmd } }) => send(params, checked(ptzcmd)),
  })

  add({
    ...common,
    path: 'api/front-end/{deviceId}/{channelId}',
    summary: 'PTZ control, by a whole command or by its bytes',
    query: Type.Object({
      ptzcmd: Type.Optional(Type.String()),
      cmdCode: OptionalByte(),
      parameter1: OptionalByte(),
      parameter2: OptionalByte(),
      combindCode2: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_NIBBLE })),
    }),
    handle({ params, query: { ptzcmd, cmdCode, parameter1 = 0, parameter2 = 0, combindCode2 = 0 } }) {
      if (ptzcmd !== undefined) return send(params, checked(ptzcmd))
      if (cmdCode === undefined) throw new InvalidRequest('cmdCode or ptzcmd is missing')
      return send(params, frontEndCommand(cmdCode, parameter1, parameter2, combindCode2))
    },
  })

  add({
    ...common,
    path: 'api/ptz/move/{deviceId}/{channelId}',
    summary: 'Move a camera until the next command; without speeds it stops',
    query: Type.Object({
      pan: Turn(MAX_BYTE, 'The speed to the right, or below 0 to the left'),
      tilt: Turn(MAX_BYTE, 'The speed up, or below 0 down'),
      zoom: Turn(MAX_NIBBLE, 'The speed in, or below 0 out'),
    }),
    handle: ({ params, query }) => send(params, panTiltCommand(query)),
  })

  add({
    method: 'GET',
    path: 'api/ptz/position/{deviceId}/{channelId}',
    summary: 'Ask a camera of 2022 where it looks',
    params: ONE_CHANNEL,
    answer: Type.Object({
      pan: Type.Number({ description: 'Degrees' }),
      tilt: Type.Number({ description: 'Degrees' }),
      zoom: Type.Number({ description: 'So many times as large' }),
      horizontalFieldAngle: Type.Number({ description: 'Degrees' }),
      verticalFieldAngle: Type.Number({ description: 'Degrees' }),
      maxViewDistance: Type.Number({ description: 'Metres' }),
    }),
    async handle({ params }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'PTZPosition')
      const position = parsePtzPosition(await inquiries.ask(device, ptzPositionQuery(params.channelId)))
      return { ...position, maxViewDistance: position.maxViewDistanceMeters }
    },
  })

  add({
    ...common,
    path: 'api/fi/iris/{deviceId}/{channelId}',
    summary: 'Open (in) or close (out) the iris, until the next command',
    query: Type.Object({
      command: Type.Union([Type.Literal('in'), Type.Literal('out'), Type.Literal('stop')]),
      speed: Speed(),
    }),
    handle: ({ params, query: { command, speed } }) =>
      send(params, focusIrisCommand({ focus: 0, iris: { in: speed, out: -speed, stop: 0 }[command] })),
  })

  add({
    ...common,
    path: 'api/fi/focus/{deviceId}/{channelId}',
    summary: 'Move the focus, until the next command',
    query: Type.Object({
      command: Type.Union([Type.Literal('near'), Type.Literal('far'), Type.Literal('stop')]),
      speed: Speed(),
    }),
    handle: ({ params, query: { command, speed } }) =>
      send(params, focusIrisCommand({ focus: { near: -speed, far: speed, stop: 0 }[command], iris: 0 })),
  })

  add({
    ...common,
    path: 'api/wiper/{deviceId}/{channelId}',
    summary: 'Switch the wiper',
    query: Type.Object({ command: Switch() }),
    handle: ({ params, query: { command } }) => send(params, auxiliaryCommand(command === 'on', WIPER_SWITCH)),
  })

  add({
    ...common,
    path: 'api/auxiliary/{deviceId}/{channelId}',
    summary: 'Switch something else of a camera',
    query: Type.Object({ command: Switch(), switchId: Byte(1) }),
    handle: ({ params, query: { command, switchId } }) => send(params, auxiliaryCommand(command === 'on', switchId)),
  })

  addCruiseOperations(add, platform, send)
  addScanOperations(add, send)
}

/** @throws {InvalidRequest} for what is no command, or has a wrong sum */
function checked(ptzcmd: string): string {
  if (isFrontEndCommand(ptzcmd)) return ptzcmd
  throw new InvalidRequest(
    'ptzcmd must be a command of 8 bytes as 16 hex digits, which begins with A5 and has a right sum',
  )
}
