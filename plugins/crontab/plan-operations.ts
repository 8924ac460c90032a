import { Type, type OperationRegistry } from 'sluice/sdk'
import { countedAnswer, countedPage, isoTime, PAGE_QUERY, SlotAnswer, slotView } from './answers.ts'
import { localHourOfWeek, nextSlot, parsePlan, slotsOfWeek } from './plan-calendar.ts'
import type { Plan, PlanStore } from './plan-store.ts'

const Name = Type.String({ maxLength: 255 })
const Hours = Type.String({ description: '168 characters 0 or 1, one for each hour of the week from Sunday, 0:00' })
const ONE_PLAN = Type.Object({ id: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }) })

/** `Plan` of the API (api.md 8.5). */
const PlanAnswer = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  enable: Type.Boolean(),
  createTime: Type.String({ format: 'date-time' }),
  updateTime: Type.String({ format: 'date-time' }),
  plan: Type.String(),
})

/**
 * The operations of plans (api.md 8.5).
 * @param changed is called after each change
 */
export function addPlanOperations(operations: OperationRegistry, store: PlanStore, changed: () => Promise<void>): void {
  operations.add({
    method: 'GET',
    path: '/plan/api/list',
    summary: 'List recording plans',
    query: Type.Object(PAGE_QUERY),
    answer: countedAnswer(PlanAnswer),
    wire: 'fields',
    reach: 'one',
    async handle({ query }) {
      const { data, ...page } = countedPage(await store.plans(), query)
      return { ...page, data: data.map(planView) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/plan/api/add',
    summary: 'Add a recording plan',
    body: Type.Object({
      name: Type.Optional(Name),
      enable: Type.Boolean({ default: false, description: 'Off unless given' }),
      plan: Hours,
    }),
    answer: Type.Object({ id: Type.Integer() }),
    reach: 'one',
    async handle({ body: { name = '', enable, plan } }) {
      parsePlan(plan)
      const id = await store.addPlan({ name, isEnabled: enable, hours: plan })
      await changed()
      return { id }
    },
  })

  operations.add({
    method: 'POST',
    path: '/plan/api/update/{id}',
    summary: 'Change a recording plan; what is left out stays as it is',
    params: ONE_PLAN,
    body: Type.Object({
      name: Type.Optional(Name),
      enable: Type.Optional(Type.Boolean()),
      plan: Type.Optional(Hours),
    }),
    reach: 'one',
    async handle({ params: { id }, body: { name, enable, plan } }) {
      if (plan !== undefined) parsePlan(plan)
      await store.updatePlan(id, {
        ...(name !== undefined && { name }),
        ...(enable !== undefined && { isEnabled: enable }),
        ...(plan !== undefined && { hours: plan }),
      })
      await changed()
    },
  })

  operations.add({
    method: 'POST',
    path: '/plan/api/remove/{id}',
    summary: 'Remove a recording plan, and what is said of its streams',
    params: ONE_PLAN,
    reach: 'one',
    async handle({ params: { id } }) {
      await store.removePlan(id)
      await changed()
    },
  })

  operations.add({
    method: 'GET',
    path: '/plan/api/parse/{plan}',
    summary: 'Test a plan: its slots in this week, and the one that begins next',
    params: Type.Object({ plan: Hours }),
    answer: Type.Object({ slots: Type.Array(SlotAnswer), nextSlot: Type.Union([SlotAnswer, Type.Null()]) }),
    wire: 'fields',
    handle({ params: { plan } }) {
      const [hours, nowMs] = [parsePlan(plan), Date.now()]
      const next = nextSlot(hours, nowMs, localHourOfWeek)
      const slots = slotsOfWeek(hours, nowMs, localHourOfWeek).map(slotView)
      return { slots, nextSlot: next === undefined ? null : slotView(next) }
    },
  })
}

function planView({ id, name, isEnabled, hours, createdMs, updatedMs }: Plan) {
  return { id, name, enable: isEnabled, createTime: isoTime(createdMs), updateTime: isoTime(updatedMs), plan: hours }
}
