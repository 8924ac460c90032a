import { definePlugin } from 'sluice/sdk'

export default definePlugin({
  name: 'demo',
  version: '1.0.0',
  sdk: '^1',
  description: 'Publishes a test picture, so that there is something to see without any other program',
  setup() {},
})
