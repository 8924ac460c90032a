import { Job, jobNotices, type JobInit } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { PullJobs, PullSource, PullWish, RunningPull } from '../jobs/pull-jobs.ts'
import { PushExists } from '../jobs/push-exists.ts'
import type { PushJobs, PushWish, RunningPush } from '../jobs/push-jobs.ts'
import type { TaskRegistry } from '../plugin/tasks.ts'
import type { FakeHooks } from './fake-hooks.ts'

/** Counts nothing. */
const NO_METER = { add: () => {} }

/** A pull or push of {@link FakeJobs}, which a test moves on by hand. */
type Running = { retries: number; stopReason: string | undefined }

/** A pull that a plugin wanted. Nothing is fetched: the test sets whether it publishes. */
export class FakePull implements RunningPull, Running {
  wish: PullWish
  isPublishing = false
  retries = 0
  stopReason: string | undefined

  constructor(wish: PullWish) {
    this.wish = wish
  }

  get ending(): boolean {
    return this.stopReason !== undefined
  }

  stop(reason: string): void {
    this.stopReason ??= reason
  }

  retryNow(): void {
    this.retries += 1
  }
}

/** A push that a plugin wanted. Nothing is sent: the test sets its state. */
export class FakePush implements RunningPush, Running {
  readonly wish: PushWish
  readonly isOfPlugin = true
  state: RunningPush['state'] = 'connecting'
  retries = 0
  stopReason: string | undefined

  constructor(wish: PushWish) {
    this.wish = wish
  }

  stop(reason: string): void {
    this.stopReason ??= reason
    this.state = undefined
  }

  retryNow(): void {
    this.retries += 1
  }
}

/** The pulls of {@link FakeJobs}. */
export class FakePulls implements PullJobs {
  /** All that were started, in order. */
  readonly all: FakePull[] = []
  readonly sources = new Set<PullSource>()
  /** The plugins by which there are pulls, by the scheme of their addresses. */
  readonly protocols = new Map<string, string>()
  readonly #failureListeners = new Set<(streamPath: string) => void>()

  addSource(source: PullSource): () => void {
    this.sources.add(source)
    return () => void this.sources.delete(source)
  }

  onFailure(listener: (streamPath: string) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** A try of a pull has failed. */
  fail(streamPath: string): void {
    for (const listener of this.#failureListeners) listener(streamPath)
  }

  get(streamPath: string): FakePull | undefined {
    return this.all.findLast(({ wish, ending }) => wish.streamPath === streamPath && !ending)
  }

  demand(streamPath: string, args: Readonly<Record<string, string>>): boolean {
    if (this.get(streamPath) !== undefined) return true
    const wish = this.#match(streamPath)
    if (wish !== undefined) this.start({ ...wish, args })
    return wish !== undefined
  }

  start(wish: PullWish): void {
    this.get(wish.streamPath)?.stop('another pull takes the path')
    this.all.push(new FakePull(wish))
  }

  restart(streamPath: string): void {
    const pull = this.get(streamPath)
    if (pull === undefined) return
    const wish = this.#match(streamPath)
    if (wish === undefined) pull.stop('its rule is gone')
    else this.start({ ...wish, args: pull.wish.args })
  }

  adapt(wish: PullWish): void {
    const pull = this.get(wish.streamPath)
    if (pull !== undefined) pull.wish = { ...pull.wish, publish: wish.publish, isLasting: wish.isLasting ?? false }
  }

  canPull(protocol: string): boolean {
    return [...this.protocols.values()].includes(protocol)
  }

  protocolOf(url: string): string | undefined {
    return this.protocols.get(URL.parse(url)?.protocol.slice(0, -1) ?? '')
  }

  #match(streamPath: string): PullWish | undefined {
    return [...this.sources].map((source) => source.match(streamPath)).find((wish) => wish !== undefined)
  }
}

/** The pushes of {@link FakeJobs}. */
export class FakePushes implements PushJobs {
  /** All that were started, in order. */
  readonly all: FakePush[] = []
  /** The plugins by which there are pushes, by the scheme of their addresses. */
  readonly protocols = new Map<string, string>()
  readonly #failureListeners = new Set<(wish: PushWish) => void>()

  onFailure(listener: (wish: PushWish) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** A try of a push has failed. */
  fail(wish: PushWish): void {
    for (const listener of this.#failureListeners) listener(wish)
  }

  find({ streamPath, rule }: Pick<PushWish, 'streamPath' | 'rule'>): FakePush | undefined {
    return this.all.find(({ wish, stopReason }) => {
      return stopReason === undefined && wish.streamPath === streamPath && wish.rule.url === rule.url
    })
  }

  start(wish: PushWish): void {
    if (this.find(wish) !== undefined) throw new PushExists()
    this.all.push(new FakePush(wish))
  }

  canPush(protocol: string): boolean {
    return [...this.protocols.values()].includes(protocol)
  }

  protocolOf(url: string): string | undefined {
    return this.protocols.get(URL.parse(url)?.protocol.slice(0, -1) ?? '')
  }
}

/** Jobs that really run, and pulls and pushes that a test can look at. */
export class FakeJobs implements JobRunner {
  readonly pulls = new FakePulls()
  readonly pushes = new FakePushes()
  readonly #tasks: TaskRegistry
  readonly #hooks: FakeHooks
  readonly #assertLoaded: () => void

  /** @param assertLoaded throws when the generation has ended */
  constructor(tasks: TaskRegistry, hooks: FakeHooks, assertLoaded: () => void) {
    this.#tasks = tasks
    this.#hooks = hooks
    this.#assertLoaded = assertLoaded
  }

  start(init: JobInit): Job {
    this.#assertLoaded()
    const notices = jobNotices({ notify: (name, ...args) => void this.#hooks.notify(name, ...args) })
    const meter = { tries: NO_METER, failures: NO_METER, in: () => NO_METER }
    return new Job({ ...init, tasks: this.#tasks, meter, notices })
  }
}
