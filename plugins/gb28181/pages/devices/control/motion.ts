/** A movement of a camera until it is told to stop. Speeds are 1 to 10. */
export type Motion =
  | { readonly kind: 'move'; readonly x: -1 | 0 | 1; readonly y: -1 | 0 | 1; readonly zoom: -1 | 0 | 1 }
  | { readonly kind: 'focus'; readonly command: 'near' | 'far' }
  | { readonly kind: 'iris'; readonly command: 'in' | 'out' }

/** A request that has a camera move, or stop. */
export type MotionRequest = {
  readonly operation:
    | 'GET /gb28181/api/ptz/move/{deviceId}/{channelId}'
    | 'GET /gb28181/api/fi/focus/{deviceId}/{channelId}'
    | 'GET /gb28181/api/fi/iris/{deviceId}/{channelId}'
  readonly query: Readonly<Record<string, string | number>>
  /** The part of the camera that obeys: a later request to the same part takes the place of one before. */
  readonly part: 'head' | 'lens'
  readonly isStop: boolean
}

export const MAX_SPEED = 10

const FULL_TURN = 255
const FULL_ZOOM = 15

/** The request that begins a movement. */
export function startRequest(motion: Motion, speed: number): MotionRequest {
  const share = Math.max(1, Math.min(speed, MAX_SPEED)) / MAX_SPEED
  const turn = Math.round(FULL_TURN * share)
  if (motion.kind !== 'move') return lensRequest(motion.kind, { command: motion.command, speed: turn })
  const { x, y, zoom } = motion
  const query = { pan: x * turn, tilt: y * turn, zoom: zoom * Math.max(1, Math.round(FULL_ZOOM * share)) }
  return { operation: 'GET /gb28181/api/ptz/move/{deviceId}/{channelId}', query, part: 'head', isStop: false }
}

/** The request that ends a movement. */
export function stopRequest({ kind }: Pick<Motion, 'kind'>): MotionRequest {
  if (kind !== 'move') return { ...lensRequest(kind, { command: 'stop' }), isStop: true }
  const query = { pan: 0, tilt: 0, zoom: 0 }
  return { operation: 'GET /gb28181/api/ptz/move/{deviceId}/{channelId}', query, part: 'head', isStop: true }
}

function lensRequest(kind: 'focus' | 'iris', query: MotionRequest['query']): MotionRequest {
  const operation =
    kind === 'focus'
      ? 'GET /gb28181/api/fi/focus/{deviceId}/{channelId}'
      : 'GET /gb28181/api/fi/iris/{deviceId}/{channelId}'
  return { operation, query, part: 'lens', isStop: false }
}

/** The movement of arrow keys that are held together; undefined where they are none, or against each other. */
export function motionOfKeys(keys: ReadonlySet<string>): Motion | undefined {
  const along = (less: string, more: string) => (Number(keys.has(more)) - Number(keys.has(less))) as -1 | 0 | 1
  const x = along('ArrowLeft', 'ArrowRight')
  const y = along('ArrowDown', 'ArrowUp')
  const zoom = along('-', '+')
  return x === 0 && y === 0 && zoom === 0 ? undefined : { kind: 'move', x, y, zoom }
}
