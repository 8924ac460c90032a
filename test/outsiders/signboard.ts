import { definePlugin, Type } from 'sluice/sdk'

/** Shows a text to every client. The schema of its keys names their values for a form, and a change of the text is live. */
export default definePlugin({
  name: 'signboard',
  version: '1.0.0',
  live: ['text', 'subscribe.maxcount'],
  config: Type.Object({
    text: Type.String({ default: 'hello', title: 'What the board says' }),
    letters: Type.Union([Type.Literal('as-is', { title: 'As they are written' }), Type.Literal('upper')], {
      default: 'as-is',
      description: 'Letters of the text',
    }),
    frame: Type.Object({ linewidth: Type.Integer({ default: 1 }) }, { title: 'Frame' }),
  }),
  setup(ctx) {
    ctx.http.get('/', { config: { access: 'public' } }, () => {
      const { text, letters } = ctx.config
      return letters === 'upper' ? text.toUpperCase() : text
    })
  },
})
