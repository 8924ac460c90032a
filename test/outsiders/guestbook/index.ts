import { definePlugin, Type, type Static } from 'sluice/sdk'

const Settings = Type.Object({
  heading: Type.String({ title: 'Heading', description: 'Stands above the notes', minLength: 1, maxLength: 60 }),
  most: Type.Integer({ title: 'Most notes', description: 'Older ones are forgotten', minimum: 1, maximum: 100 }),
})

const Notes = Type.Object({ heading: Type.String(), notes: Type.Array(Type.String()) })

/** The state that outlives a reload of the plugin. */
type Book = { settings: Static<typeof Settings>; notes: readonly string[] }

/** Notes that operators leave for each other, with two pages in the console. */
export default definePlugin({
  name: 'guestbook',
  version: '1.0.0',
  pages: [
    { title: 'Notes', titles: { zh: '留言' }, group: 'live', module: new URL('pages/notes.js', import.meta.url) },
    {
      title: 'Settings of notes',
      titles: { zh: '留言设置' },
      form: { schema: Settings, read: 'api/settings', write: 'api/settings' },
    },
  ],
  setup(ctx) {
    const { operations } = ctx
    const book = ctx.keep('book', (): Book => ({ settings: { heading: 'Notes', most: 20 }, notes: [] }))

    operations.add({
      method: 'GET',
      path: 'api/notes',
      summary: 'The notes, the newest first',
      answer: Notes,
      handle: () => ({ heading: book.settings.heading, notes: [...book.notes] }),
    })

    operations.add({
      method: 'POST',
      path: 'api/notes',
      summary: 'Leave a note',
      body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 200 }) }),
      handle({ body: { text } }) {
        book.notes = [text, ...book.notes].slice(0, book.settings.most)
      },
    })

    operations.add({
      method: 'GET',
      path: 'api/settings',
      summary: 'The settings of the notes',
      answer: Settings,
      handle: () => book.settings,
    })

    operations.add({
      method: 'POST',
      path: 'api/settings',
      summary: 'Change the settings of the notes',
      body: Settings,
      handle({ body }) {
        book.settings = body
        book.notes = book.notes.slice(0, body.most)
      },
    })
  },
})
