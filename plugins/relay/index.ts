import { definePlugin } from 'sluice/sdk'
import { createJobs } from './operators/jobs-service.ts'
import { addProgressOperation } from './operators/progress-operation.ts'
import { addPullOperations } from './operators/pull-operations.ts'
import { addPushOperations } from './operators/push-operations.ts'
import { RulePulls, type KeptPulls } from './rules/rule-pulls.ts'
import { RulePushes } from './rules/rule-pushes.ts'

/** Rules begin pushes before other plugins do. */
const PUSH_STAGE = -10

export default definePlugin({
  name: 'relay',
  version: '1.0.0',
  sdk: '^1',
  description: 'Pulls and pushes streams by the rules of all plugins with a protocol, and for operators',
  mounts: [],
  provides: ['jobs'],
  formerNames: {},
  // The rules of a plugin hold as soon as it runs.
  endsLast: true,
  setup(ctx) {
    const { jobs, plugins, streams } = ctx
    const { pulls, pushes } = jobs
    const kept = ctx.keep('pulls', (): KeptPulls => ({ fixed: new Map() }))
    const rulePulls = new RulePulls(pulls, kept)
    const rulePushes = new RulePushes(pushes, streams)
    ctx.hooks.on('published', (stream) => rulePushes.published(stream), { stage: PUSH_STAGE })
    const service = createJobs(pushes, streams)
    ctx.services.provide('jobs', service)
    addPullOperations(ctx)
    addPushOperations(ctx, service)
    addProgressOperation(ctx.operations, pulls)
    plugins.onChange(() => {
      rulePulls.apply(plugins.rules('pull'))
      rulePushes.apply(plugins.rules('push'))
    })
    // Pulls end with the source of the last generation.
    ctx.onDrain((cause) => {
      if (cause === 'removed') rulePushes.end()
    })
  },
})
