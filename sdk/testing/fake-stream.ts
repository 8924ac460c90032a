import { shownText } from '../host/shown-text.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'
import type { EndedTask } from '../plugin/tasks.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { SessionClient } from '../stream/session-request.ts'
import type { StreamInfo, StreamState, SubscriberInfo } from '../stream/stream-info.ts'
import type { FakeHooks } from './fake-hooks.ts'
import type { FakePublisher, FakePublisherStream } from './fake-publisher.ts'
import type { FakeSubscriber, FakeSubscriberStream } from './fake-subscriber.ts'

/** One path of {@link FakeStreams}: where its publisher and its subscribers meet. */
export class FakeStream implements FakePublisherStream, FakeSubscriberStream {
  readonly path: string
  readonly subscribers = new Set<FakeSubscriber>()
  /** The subscribers that move here at the next unit that they can start at. */
  readonly #pendingMoves = new Set<FakeSubscriber>()
  readonly #hooks: FakeHooks | undefined
  #publisher: FakePublisher | undefined
  #expected: FakePublisher | undefined
  #gop: AccessUnit[] = []
  #waiting: (() => void)[] = []

  /** @param hooks none for a stream without notices */
  constructor(path: string, hooks?: FakeHooks) {
    this.path = path
    this.#hooks = hooks
  }

  get publisher(): FakePublisher | undefined {
    return this.#publisher
  }

  /** The publisher, or the one that the path is kept for and that has yet to connect. */
  get holder(): FakePublisher | undefined {
    return this.#publisher ?? this.#expected
  }

  get tracks(): readonly Track[] {
    return this.#publisher?.tracks ?? []
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#publisher?.metadata ?? {}
  }

  get gop(): readonly AccessUnit[] {
    return this.#gop
  }

  get subscriberCount(): number {
    return [...this.subscribers].filter((subscriber) => subscriber.request.type === 'server').length
  }

  info(): StreamInfo {
    const { path, tracks, metadata, subscriberCount, publisher } = this
    const common = { path, state: this.#state(), subscriberCount, tracks, metadata }
    const startTime = publisher?.startTime ?? new Date(0)
    const { protocol = '', type = 'server' } = publisher?.request ?? {}
    const { personal = false } = publisher?.options ?? {}
    return { ...common, startTime, pluginName: protocol, type, personal }
  }

  setPublisher(publisher: FakePublisher): void {
    if (publisher.isConnecting) this.#expected = publisher
    else this.publisherConnected(publisher)
  }

  publisherConnected(publisher: FakePublisher): void {
    this.#expected = undefined
    this.#publisher = publisher
    for (const subscriber of this.subscribers) subscriber.stopWaiting()
    void this.#hooks?.notify('published', this.info())
  }

  addSubscriber(subscriber: FakeSubscriber): void {
    this.subscribers.add(subscriber)
    if (this.#publisher === undefined) subscriber.startWaiting()
  }

  /** Moves a subscriber of another stream here at the next start point, or at once when nothing comes on its own. */
  expect(subscriber: FakeSubscriber, from: FakeStream): void {
    subscriber.destination = from === this ? undefined : this
    this.#pendingMoves.add(subscriber)
    if (from.publisher === undefined) this.moveHere(subscriber)
  }

  /** Moves a subscriber here, if its move is still pending. */
  moveHere(subscriber: FakeSubscriber): void {
    this.#pendingMoves.delete(subscriber)
    if (subscriber.destination !== this) return
    subscriber.destination = undefined
    this.subscribers.add(subscriber)
    subscriber.moveTo(this)
  }

  release(subscriber: FakeSubscriber): void {
    this.subscribers.delete(subscriber)
    this.#wake()
  }

  /** Resolves when there are tracks, or the subscriber has ended or gone elsewhere. */
  async whenReady(subscriber: FakeSubscriber): Promise<void> {
    // A publisher that declares its tracks one after the other has declared them all a turn later.
    do await new Promise((resolve) => setImmediate(resolve))
    while (!(await this.#isReady(subscriber)))
  }

  trackChanged(track: Track): void {
    if (track.kind === 'video') this.#gop = []
    for (const subscriber of this.subscribers) subscriber.track(track)
    void this.#hooks?.notify('track', this.info(), track)
    this.#wake()
  }

  trackRemoved(track: Track): void {
    for (const subscriber of this.subscribers) subscriber.trackRemoved(track)
  }

  tracksCompleted(): void {
    this.#wake()
  }

  discontinuity(): void {
    this.#gop = []
    for (const subscriber of this.subscribers) subscriber.discontinuity()
  }

  dispatch(unit: AccessUnit): void {
    const hasVideo = this.tracks.some((track) => track.kind === 'video')
    const isStart = !hasVideo || (unit.keyframe && unit.track.kind === 'video')
    if (isStart) for (const subscriber of this.#pendingMoves) this.moveHere(subscriber)
    if (isStart) this.#gop = [unit]
    else if (this.#gop.length > 0) this.#gop.push(unit)
    for (const subscriber of this.subscribers) subscriber.unit(unit, isStart)
  }

  publisherClosed(publisher: FakePublisher, reason: CloseReason): void {
    if (this.#expected === publisher) this.#expected = undefined
    if (this.#publisher !== publisher) return
    const info = this.info()
    this.#publisher = undefined
    this.#gop = []
    for (const subscriber of this.#pendingMoves) subscriber.destination = undefined
    this.#pendingMoves.clear()
    for (const subscriber of this.subscribers.values().toArray()) {
      if (subscriber.destination) subscriber.destination.moveHere(subscriber)
      else if (publisher.options.personal === true) subscriber.close(reason)
      else subscriber.sourceEnded()
    }
    void this.#hooks?.notify('unpublished', info, reason)
    void this.#hooks?.notify('ended', endedPublisher(publisher, reason))
  }

  subscriberClosed(subscriber: FakeSubscriber, reason: CloseReason): void {
    this.subscribers.delete(subscriber)
    subscriber.destination = undefined
    const isLast = this.subscribers.size === 0
    if (isLast && this.#publisher?.options.personal === true)
      this.#publisher.close({ code: 'idle', text: 'its viewer left' })
    const info = subscriberInfo(subscriber)
    void this.#hooks?.notify('unsubscribed', info, reason)
    void this.#hooks?.notify('ended', endedSubscriber(info, reason, this.#publisher?.id))
    this.#wake()
  }

  #state(): StreamState {
    if (this.#publisher === undefined) return 4
    if (this.subscribers.size > 0) return 2
    return this.tracks.length > 0 ? 1 : 0
  }

  async #isReady(subscriber: FakeSubscriber): Promise<boolean> {
    if (subscriber.closeReason !== undefined || this.tracks.length > 0 || !this.subscribers.has(subscriber)) return true
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return false
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** A subscriber as plugins see it. */
export function subscriberInfo(subscriber: FakeSubscriber): SubscriberInfo {
  const { id, streamPath, startTime, request } = subscriber
  const remoteAddr = remoteAddrOf(request.client)
  const { protocol: pluginName, type, follows = false, params } = request
  return { id, streamPath, sourcePath: subscriber.sourcePath, pluginName, type, remoteAddr, startTime, follows, params }
}

function endedPublisher({ id, streamPath, startTime, request }: FakePublisher, { text }: CloseReason): EndedTask {
  const { protocol: plugin, type, client } = request
  return {
    kind: 'publisher',
    id,
    type: 1,
    owner: streamPath,
    startTime,
    endTime: new Date(),
    parentId: 0,
    reason: shownText(text),
    description: () => ({ kind: 'publisher', plugin, type, remoteAddr: remoteAddrOf(client) }),
  }
}

function endedSubscriber(subscriber: SubscriberInfo, { text }: CloseReason, parentId = 0): EndedTask {
  const { id, streamPath, sourcePath, startTime, pluginName: plugin, type, remoteAddr } = subscriber
  return {
    kind: 'subscriber',
    id,
    type: 0,
    owner: streamPath,
    startTime,
    endTime: new Date(),
    parentId,
    reason: shownText(text),
    description: () => ({ kind: 'subscriber', plugin, type, remoteAddr, sourcePath }),
  }
}

function remoteAddrOf({ ip, port }: SessionClient): string {
  if (ip === '') return ''
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}
