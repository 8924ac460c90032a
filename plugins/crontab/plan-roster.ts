import { parseDurationText, StoreUnavailable, type PluginContext } from 'sluice/sdk'
import { parsePlan } from './plan-calendar.ts'
import type { PlannedStream, PlanRecorder } from './plan-recorder.ts'
import type { Plan, PlanStore, PlanStream } from './plan-store.ts'

const UNREAD = 'the plans cannot be read, and those that were read before hold on'

/** Passes the plans of the database to the recorder; the default plans exist after each start. */
export class PlanRoster {
  readonly #log: PluginContext<unknown>['log']
  readonly #store: Pick<PlanStore, 'plans' | 'streams' | 'addDefaultPlans'>
  readonly #recorder: Pick<PlanRecorder, 'plan'>
  #loading = Promise.resolve()
  #isCurrent = false
  #hasDefaults = false

  constructor(
    log: PluginContext<unknown>['log'],
    store: Pick<PlanStore, 'plans' | 'streams' | 'addDefaultPlans'>,
    recorder: Pick<PlanRecorder, 'plan'>,
  ) {
    this.#log = log
    this.#store = store
    this.#recorder = recorder
  }

  /** Reads the plans, which were changed; the former ones stay when there is no database. */
  reload(): Promise<void> {
    this.#isCurrent = false
    this.#loading = this.#loading.then(() => this.#load())
    return this.#loading
  }

  /** Reads the plans again if the last attempt failed. */
  async refresh(): Promise<void> {
    if (!this.#isCurrent) await this.reload()
  }

  async #load(): Promise<void> {
    try {
      if (!this.#hasDefaults) await this.#store.addDefaultPlans()
      this.#hasDefaults = true
      const [plans, streams] = [await this.#store.plans(), await this.#store.streams()]
      this.#isCurrent = true
      this.#recorder.plan(plannedStreams(plans, streams))
    } catch (error) {
      // A database that is away has a line of its own, with the reason.
      if (error instanceof StoreUnavailable) this.#log.warn({ reason: error.message }, UNREAD)
      else this.#log.error({ err: error }, UNREAD)
    }
  }
}

/** The streams of which plan and entry are enabled. */
function plannedStreams(plans: readonly Plan[], streams: readonly PlanStream[]): PlannedStream[] {
  const hours = new Map(plans.filter(({ isEnabled }) => isEnabled).map((plan) => [plan.id, parsePlan(plan.hours)]))
  return streams.flatMap(({ planId, streamPath, recordType, filePath, fragment, isEnabled }) => {
    const plan = hours.get(planId)
    if (plan === undefined || !isEnabled) return []
    const fragmentMs = parseDurationText('fragment', fragment)
    return [{ type: recordType, streamPath, filePath, fragmentMs, plan }]
  })
}
