import { readdirSync } from 'node:fs'
import { Socket } from 'node:net'
import { queryObjects } from 'node:v8'
import { SharedMuxer } from '../../../core/stream/fan-out/shared-muxer.ts'
import { StreamPublisher } from '../../../core/stream/stream-publisher.ts'
import { StreamSubscriber } from '../../../core/stream/stream-subscriber.ts'
import { Stream } from '../../../core/stream/stream.ts'

/** What a server process holds, counted after garbage collection. */
export type Holdings = {
  readonly heapBytes: number
  readonly rssBytes: number
  readonly descriptors: number
  readonly sockets: number
  readonly timers: number
  readonly streams: number
  readonly publishers: number
  readonly subscribers: number
  readonly muxers: number
}

/** What a server process uses, without garbage collection. */
export type Usage = {
  readonly rssBytes: number
  readonly descriptors: number
}

export type ProbeQuestion = { readonly id: number; readonly ask: 'holdings' | 'usage' }
export type ProbeAnswer = { readonly id: number; readonly answer: Holdings | Usage }

/** What setTimeout and setInterval give; unlike the list of active resources, this counts timers without `ref`, too. */
const Timer = clearedTimer().constructor as new () => unknown

/** What is counted of the server's own. A look for objects goes through the whole heap, so one finds them all. */
function Counted(): void {}
for (const type of [Timer, Stream, StreamPublisher, StreamSubscriber, SharedMuxer]) {
  Object.setPrototypeOf(type.prototype, Counted.prototype)
}

process.on('message', ({ id, ask }: ProbeQuestion) => {
  void (ask === 'usage' ? Promise.resolve(usage()) : holdings()).then((answer) => process.send?.({ id, answer }))
})
// The server ends when it is told to, not when its parent has nothing to say any more.
process.channel?.unref()

function usage(): Usage {
  return { rssBytes: process.memoryUsage.rss(), descriptors: descriptors() }
}

async function holdings(): Promise<Holdings> {
  // What one collection finalizes, the next one frees.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const counted = queryObjects(Counted, { format: 'summary' })
  const count = ({ name }: { readonly name: string }) => counted.filter((text) => text.startsWith(`${name} {`)).length
  return {
    heapBytes: heapUsed + external,
    rssBytes: rss,
    descriptors: descriptors(),
    sockets: queryObjects(Socket, { format: 'count' }),
    timers: count(Timer),
    streams: count(Stream),
    publishers: count(StreamPublisher),
    subscribers: count(StreamSubscriber),
    muxers: count(SharedMuxer),
  }
}

function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
}

function clearedTimer(): NodeJS.Timeout {
  const timer = setTimeout(() => {})
  clearTimeout(timer)
  return timer
}
