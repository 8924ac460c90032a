import { definePlugin } from 'sluice/sdk'
import { RECORDING_MIGRATIONS } from './catalogue/recording-tables.ts'
import { addDaysOperation } from './days-operation.ts'
import { addRecordingOperations } from './recording-operations.ts'
import { Generation } from './generation.ts'

/** The stage of the `lead` hook: it runs after hooks that lead viewers to the stream that they mean, such as aliases. */
const LEAD_STAGE = 10
/** The time limit for finishing files at the end of a generation. */
const END_MS = 3000

export default definePlugin({
  name: 'recording',
  version: '1.0.0',
  sdk: '^1',
  description:
    'Records streams by the rules of all plugins with a container, plays recordings, and looks after their files',
  provides: ['recordings'],
  notices: ['recorded', 'alarm'],
  pages: [
    {
      title: 'Recordings',
      titles: { zh: '录像' },
      group: 'recording',
      icon: '/pages/recordings.svg',
      module: new URL('pages/recordings.tsx', import.meta.url),
    },
  ],
  tables: RECORDING_MIGRATIONS,
  formerNames: { migrations: 'recording', tables: ['sluice_recording'], metrics: ['sluice_upload_'] },
  async setup(ctx) {
    const generation = new Generation(ctx)
    const { hooks, jobs } = ctx
    ctx.onDispose(() => generation.close(), { withinMs: END_MS })
    ctx.onDrain((cause) => generation.drain(cause))
    await generation.prepare()
    ctx.services.provide('recordings', generation.recordings)
    addRecordingOperations(ctx.operations, generation.recordings)
    addDaysOperation(ctx.operations, generation.days)
    ctx.readiness('storage', () => generation.isStorageWell)
    hooks.on('lead', (request) => generation.playback.lead(request), { stage: LEAD_STAGE })
    hooks.on('published', ({ path }) => generation.published(path))
    hooks.on('unpublished', ({ path }) => generation.unpublished(path))
    jobs.pulls.addSource(generation.playback)
    jobs.pulls.onFailure((streamPath) => generation.playFailed(streamPath))
    // This is the last step: it calls `apply`, by which this generation takes over.
    ctx.plugins.onChange(() => generation.apply())
  },
})
