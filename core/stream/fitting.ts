import type { AcceptedCodecs, StreamInfo, Track } from 'sluice/sdk'
import type { AdmissionHooks } from './session-admission.ts'
import type { StreamHooks } from './stream-hooks.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import { selectsTrack } from './track-selection.ts'

/**
 * The time after which another fitted stream is asked for, when one ended while its origin goes on, so that one that can't
 * last makes no loop.
 */
const ASK_AGAIN_MS = 1000

/** The hooks that fitting needs. */
export type FittingHooks = Pick<AdmissionHooks, 'isTapped'> &
  StreamHooks & {
    /** Returns the path of a stream with accepted codecs; undefined for none. Never rejects. */
    adapt(stream: StreamInfo, accepts: AcceptedCodecs): Promise<string | undefined>
  }

/** The part of a stream that fitting needs. */
interface FittedStream {
  readonly path: string
  readonly tracks: readonly Track[]
  readonly pendingMoves: { add(subscribers: readonly StreamSubscriber[]): void }
  info(): StreamInfo
}

/** The streams, between which subscribers are moved. */
interface FittedStreams {
  /** The stream of a path; undefined without publisher. */
  get(path: string): FittedStream | undefined
  subscribers(path: string): readonly StreamSubscriber[]
  /** Moves subscribers to another stream at once, or makes them wait for it. */
  send(subscribers: readonly StreamSubscriber[], path: string): void
}

type FittingOptions = {
  readonly hooks: FittingHooks
  readonly streams: FittedStreams
  /** The time in place of {@link ASK_AGAIN_MS}, for tests. */
  readonly askAgainMs?: number
}

/**
 * Moves subscribers that can't take the tracks of a stream to one that is made of it for them, as the `adapt` hooks decide,
 * and back. A stream that such a hook has named is not fitted in its turn.
 */
export class Fitting {
  /** The hooks that streams call, so that changes of their tracks are noticed here. */
  readonly hooks: StreamHooks
  readonly #options: FittingOptions
  /** The path of the stream that each fitted one is made of, by its own path. */
  readonly #origins = new Map<string, string>()
  /** The paths whose subscribers are being checked; true for those that have to be checked again. */
  readonly #checking = new Map<string, boolean>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(options: FittingOptions) {
    const { hooks } = options
    this.#options = options
    this.hooks = {
      resolve: (request) => hooks.resolve(request),
      notifyEnded: (ended) => hooks.notifyEnded(ended),
      notify: (name, ...args) => {
        hooks.notify(name, ...args)
        if (name === 'track') void this.#check(pathOf(args))
        else if (name === 'unpublished') this.#ended(pathOf(args))
      },
    }
  }

  /** The path of the stream that a subscriber is to get in place of this one; undefined where it is to get this one. */
  async pathFor(stream: FittedStream, subscriber: StreamSubscriber): Promise<string | undefined> {
    const { hooks, streams } = this.#options
    const { accepts } = subscriber.request
    const isOver = subscriber.session.closed
    if (accepts === undefined || isOver || !this.#isAskedFor(stream, subscriber)) return undefined
    const path = await hooks.adapt(stream.info(), accepts)
    if (path === undefined || path === stream.path || streams.get(path) === undefined) return undefined
    const origin = this.#origins.get(path)
    if (origin !== undefined && origin !== stream.path) return undefined
    this.#origins.set(path, stream.path)
    return path
  }

  /** Moves subscribers to a stream, or each to one that fits it instead. Subscribers that need no other are moved before it returns. */
  move(subscribers: readonly StreamSubscriber[], stream: FittedStream): void {
    const { misfits = [], others = [] } = Object.groupBy(subscribers, (subscriber) =>
      this.#isAskedFor(stream, subscriber) ? 'misfits' : 'others',
    )
    if (others.length > 0) stream.pendingMoves.add(others)
    if (misfits.length > 0) void this.#fitAll(misfits, stream)
  }

  /** Cancels the requests to come. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  /** Checks the subscribers of a stream, and of those made of it, whenever its tracks change; one check at a time for each path. */
  async #check(path: string): Promise<void> {
    if (this.#origins.has(path)) return
    if (this.#checking.has(path)) return void this.#checking.set(path, true)
    do {
      this.#checking.set(path, false)
      const stream = this.#options.streams.get(path)
      const subscribers = this.#watching(path).filter(
        (subscriber) => declaresCodecs(subscriber) && subscriber.session.begun,
      )
      if (stream !== undefined && subscribers.length > 0) await this.#fitAll(subscribers, stream)
    } while (this.#checking.get(path) === true)
    this.#checking.delete(path)
  }

  /** Returns true when the hooks are to be asked for another stream. */
  #isAskedFor({ path, tracks }: FittedStream, { request, selection }: StreamSubscriber): boolean {
    if (request.accepts === undefined || this.#origins.has(path) || !this.#options.hooks.isTapped('adapt')) return false
    const wanted = tracks.filter((track) => selectsTrack(selection, track))
    return !fits(wanted, request.accepts)
  }

  async #fitAll(subscribers: readonly StreamSubscriber[], stream: FittedStream): Promise<void> {
    const alike = Map.groupBy(subscribers, ({ request: { accepts }, selection }) =>
      JSON.stringify([accepts, selection]),
    )
    for (const group of alike.values()) {
      const path = (await this.pathFor(stream, group[0]!)) ?? stream.path
      const elsewhere = group.filter(({ sourcePath, session }) => sourcePath !== path && !session.closed)
      if (elsewhere.length > 0) this.#options.streams.get(path)?.pendingMoves.add(elsewhere)
    }
  }

  /** The subscribers of a stream, and of those that were made of it. */
  #watching(path: string): StreamSubscriber[] {
    const fitted = [...this.#origins].filter(([, origin]) => origin === path)
    return [path, ...fitted.map(([name]) => name)].flatMap((name) => this.#options.streams.subscribers(name))
  }

  /** Moves the subscribers of a fitted stream that has ended to its origin, until another one is made. */
  #ended(path: string): void {
    const origin = this.#origins.get(path)
    if (origin === undefined) return
    this.#origins.delete(path)
    const { streams, askAgainMs = ASK_AGAIN_MS } = this.#options
    const moved = streams
      .subscribers(path)
      .filter((subscriber) => declaresCodecs(subscriber) && subscriber.streamPath !== path)
    streams.send(moved, origin)
    if (moved.length === 0 || streams.get(origin) === undefined) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#check(origin)
    }, askAgainMs).unref()
    this.#timers.add(timer)
  }
}

/** True when each kind of track that exists has a track that is accepted. */
function fits(tracks: readonly Track[], { video, audio }: AcceptedCodecs): boolean {
  return hasOneOf(tracks, 'video', video) && hasOneOf(tracks, 'audio', audio)
}

function hasOneOf(tracks: readonly Track[], kind: Track['kind'], codecs: readonly string[] | undefined): boolean {
  const ofKind = tracks.filter((track) => track.kind === kind)
  return codecs === undefined || ofKind.length === 0 || ofKind.some(({ codec }) => codecs.includes(codec))
}

function declaresCodecs({ request }: StreamSubscriber): boolean {
  return request.accepts !== undefined
}

/** The path of the stream that a notice is about. */
function pathOf([about]: readonly unknown[]): string {
  return (about as StreamInfo).path
}
