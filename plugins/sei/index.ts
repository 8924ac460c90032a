import { definePlugin } from 'sluice/sdk'
import { SeiConfig } from './config.ts'
import { DerivedStreams, PLUGIN_NAME } from './derived-streams.ts'
import { addOperations } from './operations.ts'

export default definePlugin({
  name: PLUGIN_NAME,
  version: '1.0.0',
  sdk: '^1',
  description:
    'Puts SEI messages into the pictures of streams of H.264 and H.265, which it shows again under another path',
  config: SeiConfig,
  live: ['stopdelay', 'publish', 'subscribe'],
  async setup(ctx) {
    const derived = new DerivedStreams(ctx)
    addOperations(ctx, derived)
    // The last step: if setup fails, the former generation goes on with the streams.
    await derived.takeOver()
  },
})
