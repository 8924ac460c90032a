import { definePlugin } from 'sluice/sdk'
import { createJobs } from './operators/jobs-service.ts'
import { addListOperations } from './operators/list-operations.ts'
import { addProgressOperation } from './operators/progress-operation.ts'
import { addPullOperations } from './operators/pull-operations.ts'
import { addPushOperations } from './operators/push-operations.ts'
import { RulePulls, type KeptPulls } from './rules/rule-pulls.ts'
import { RulePushes } from './rules/rule-pushes.ts'

/** The stage of the hook that starts pushes by rules: before the hooks of other plugins that start some. */
const PUSH_STAGE = -10

export default definePlugin({
  name: 'relay',
  version: '1.0.0',
  sdk: '^1',
  description: 'Pulls and pushes streams by the rules of all plugins with a protocol, and for operators',
  pages: [
    {
      title: 'Pulls and pushes',
      titles: { zh: '拉流与转推' },
      group: 'live',
      icon: '/pages/relays.svg',
      module: new URL('pages/relays.tsx', import.meta.url),
    },
  ],
  provides: ['jobs'],
  formerNames: {},
  // The plugin starts before all others, so that the rules of each take effect as soon as that runs.
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
    addListOperations(ctx)
    plugins.onChange(() => {
      rulePulls.apply(plugins.rules('pull'))
      rulePushes.apply(plugins.rules('push'))
    })
    // The server ends the pulls of a plugin whose last source is removed, but no pushes.
    ctx.onDrain((cause) => {
      if (cause === 'removed') rulePushes.end()
    })
  },
})
