import { definePlugin } from 'sluice/sdk'
import { AudioConfig } from './config.ts'
import { FittedStreams, PLUGIN_NAME } from './fitted-streams.ts'

export default definePlugin({
  name: PLUGIN_NAME,
  version: '1.0.0',
  sdk: '^1',
  description:
    'Encodes the sound of streams for players that can not take it as it is, by ffmpeg: AAC as Opus, Opus as AAC',
  config: AudioConfig,
  setup(ctx) {
    new FittedStreams(ctx).tap()
  },
})
