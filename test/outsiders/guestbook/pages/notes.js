import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core'
import { createElement as h, useState } from 'react'

const WORDS = {
  en: { title: 'Notes', note: 'Note', add: 'Add', added: 'The note is added', none: 'Nobody has written anything.' },
  zh: { title: '留言', note: '留言', add: '添加', added: '已添加留言', none: '还没有留言。' },
}

/** The notes, and a field for another one. */
export default function Notes({ console }) {
  const words = console.words(WORDS)
  const { PageFrame, Problem } = console.components
  const { data, error, refresh } = console.useCall('GET /guestbook/api/notes', undefined, { refreshMs: 3000 })
  const [text, setText] = useState('')

  const add = async (event) => {
    event.preventDefault()
    const note = () => console.api.call('POST /guestbook/api/notes', { body: { text } })
    if (await console.change(note, words.added)) setText('')
    await refresh()
  }

  const { heading, notes = [] } = data?.data ?? {}
  return h(
    PageFrame,
    { title: words.title, description: heading },
    h(
      Stack,
      null,
      error && h(Problem, { error, onRetry: refresh }),
      console.user.mayChange &&
        h(
          'form',
          { onSubmit: add },
          h(
            Group,
            { align: 'flex-end' },
            h(TextInput, {
              label: words.note,
              value: text,
              onChange: ({ currentTarget }) => setText(currentTarget.value),
            }),
            h(Button, { type: 'submit', disabled: text === '' }, words.add),
          ),
        ),
      data && notes.length === 0 && h(Text, null, words.none),
      notes.map((note, index) => h(Card, { key: index, withBorder: true }, note)),
    ),
  )
}
