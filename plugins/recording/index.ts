import { definePlugin } from 'sluice/sdk'
import { RECORDING_MIGRATIONS } from './catalogue/recording-tables.ts'
import { addRecordingOperations } from './recording-operations.ts'
import { RecordingSystem } from './recording-system.ts'

/** Viewers are led to recordings after they were led to the stream that they mean, as by an alias. */
const LEAD_STAGE = 10
/** How long the files of recordings may take to be finished at the end of a generation. */
const END_MS = 3000

export default definePlugin({
  name: 'recording',
  version: '1.0.0',
  sdk: '^1',
  description:
    'Records streams by the rules of all plugins with a container, plays recordings, and looks after their files',
  provides: ['recordings'],
  notices: ['recorded', 'alarm'],
  tables: RECORDING_MIGRATIONS,
  formerNames: { migrations: 'recording', tables: ['sluice_recording'], metrics: ['sluice_upload_'] },
  async setup(ctx) {
    const system = new RecordingSystem(ctx)
    const { hooks, jobs } = ctx
    ctx.onDispose(() => system.close(), { withinMs: END_MS })
    ctx.onDrain((cause) => system.drain(cause))
    await system.prepare()
    ctx.services.provide('recordings', system.recordings)
    addRecordingOperations(ctx.operations, system.recordings)
    ctx.readiness('storage', () => system.isStorageWell)
    hooks.on('lead', (request) => system.playback.lead(request), { stage: LEAD_STAGE })
    hooks.on('published', ({ path }) => system.published(path))
    hooks.on('unpublished', ({ path }) => system.unpublished(path))
    jobs.pulls.addSource(system.playback)
    jobs.pulls.onFailure((streamPath) => system.playFailed(streamPath))
    // Last, as it has this generation take over.
    ctx.plugins.onChange(() => system.apply())
  },
})
