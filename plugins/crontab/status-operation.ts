import { StreamPath, Type, type OperationRegistry, type Static } from 'sluice/sdk'
import { isoTime, SlotAnswer, slotView } from './answers.ts'
import { localHourOfWeek, nextSlot, parsePlan, slotAt, slotsOfWeek, type Slot } from './plan-calendar.ts'
import type { PlanRecorder } from './plan-recorder.ts'
import type { Plan, PlanStore, PlanStream } from './plan-store.ts'

/** `PlanTask` of the API (api.md 8.5). */
const PlanTask = Type.Object({
  planId: Type.Integer(),
  planName: Type.String(),
  streamPath: Type.String(),
  isRecording: Type.Boolean({ description: 'Otherwise nobody publishes the stream, or it cannot be recorded' }),
  startTime: Type.String({ format: 'date-time', description: 'Of the slot' }),
  endTime: Type.String({ format: 'date-time' }),
  timeRange: Type.String(),
  weekday: Type.String(),
  filePath: Type.String(),
  fragment: Type.String(),
  elapsedSeconds: Type.Integer({ description: 'Since the slot began; 0 for one that is to come' }),
  remainingSeconds: Type.Integer({ description: 'Until the slot ends, or until one that is to come begins' }),
  planSlots: Type.Array(SlotAnswer),
})

/** The slots of a plan, with the current and the next one. */
type PlanTimes = {
  readonly planSlots: Static<typeof SlotAnswer>[]
  readonly current: Slot | undefined
  readonly next: Slot | undefined
}

/** Adds the operation that returns the status of plans (api.md 8.5). */
export function addStatusOperation(
  operations: OperationRegistry,
  store: Pick<PlanStore, 'plans' | 'streams'>,
  recorder: Pick<PlanRecorder, 'recorded'>,
): void {
  operations.add({
    method: 'GET',
    path: '/crontab/api/status',
    summary: 'What plans record now and next',
    query: Type.Object({ streamPath: Type.Optional(StreamPath()) }),
    answer: Type.Object({
      runningTasks: Type.Array(PlanTask),
      nextTasks: Type.Array(PlanTask),
      totalRunning: Type.Integer(),
      totalPlanned: Type.Integer(),
    }),
    wire: 'fields',
    reach: 'one',
    async handle({ query: { streamPath } }) {
      const [plans, streams] = [await store.plans(), await store.streams()]
      const nowMs = Date.now()
      const isRecorded = recorder.recorded()
      const enabled = new Map(plans.filter(({ isEnabled }) => isEnabled).map((plan) => [plan.id, plan]))
      const times = new Map<Plan, PlanTimes>()
      const runningTasks: Static<typeof PlanTask>[] = []
      const nextTasks: Static<typeof PlanTask>[] = []
      for (const stream of streams) {
        const plan = enabled.get(stream.planId)
        if (!stream.isEnabled || plan === undefined || (streamPath ?? stream.streamPath) !== stream.streamPath) continue
        const known = times.get(plan) ?? timesOf(plan, nowMs)
        times.set(plan, known)
        const { planSlots, current, next } = known
        const common = { plan, stream, planSlots, nowMs }
        const isRecording = isRecorded({ type: stream.recordType, streamPath: stream.streamPath })
        if (current !== undefined) runningTasks.push(taskView({ ...common, slot: current, isRecording }))
        if (next !== undefined) nextTasks.push(taskView({ ...common, slot: next, isRecording: false }))
      }
      return { runningTasks, nextTasks, totalRunning: runningTasks.length, totalPlanned: nextTasks.length }
    },
  })
}

function timesOf({ hours }: Plan, nowMs: number): PlanTimes {
  const plan = parsePlan(hours)
  const slots = slotsOfWeek(plan, nowMs, localHourOfWeek)
  const [current, next] = [slotAt(slots, nowMs), nextSlot(plan, nowMs, localHourOfWeek)]
  return { planSlots: slots.map(slotView), current, next }
}

type TaskParts = {
  readonly plan: Plan
  readonly stream: PlanStream
  readonly slot: Slot
  readonly planSlots: Static<typeof SlotAnswer>[]
  readonly isRecording: boolean
  readonly nowMs: number
}

function taskView({ plan, stream, slot, planSlots, isRecording, nowMs }: TaskParts): Static<typeof PlanTask> {
  const { startMs, endMs, timeRange, weekday } = slot
  const { streamPath, filePath, fragment } = stream
  const [elapsedMs, remainingMs] = startMs <= nowMs ? [nowMs - startMs, endMs - nowMs] : [0, startMs - nowMs]
  return {
    planId: plan.id,
    planName: plan.name,
    streamPath,
    isRecording,
    startTime: isoTime(startMs),
    endTime: isoTime(endMs),
    timeRange,
    weekday,
    filePath,
    fragment,
    planSlots,
    elapsedSeconds: Math.floor(elapsedMs / 1e3),
    remainingSeconds: Math.ceil(remainingMs / 1e3),
  }
}
