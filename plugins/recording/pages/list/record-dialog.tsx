import { Button, NativeSelect, TextInput } from '@mantine/core'
import { SquareCircleIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { TYPE_NAMES, type PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

/** The operations that start a recording, by the type of its files. */
const STARTS = {
  mp4: 'POST /mp4/api/start/{streamPath}',
  flv: 'POST /flv/api/start/{streamPath}',
  hls: 'POST /hls/api/start/{streamPath}',
} as const
type StartedType = keyof typeof STARTS

/** A button with the dialog that starts a recording. */
export function RecordDialog({ console }: { readonly console: PageConsole }) {
  const words = console.words(WORDS)
  const { FormDialog, StreamPicker } = console.components
  const [isOpen, setOpen] = useState(false)
  const [streamPath, setStreamPath] = useState('')
  const [type, setType] = useState<StartedType>('mp4')
  const [terms, setTerms] = useState({ fragment: '10m', duration: '0', filePath: '' })
  const field = (name: keyof typeof terms) => ({
    value: terms[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) =>
      setTerms((before) => ({ ...before, [name]: value })),
  })
  const start = async () => {
    const { filePath, ...times } = terms
    const body = { ...times, ...(filePath !== '' && { filePath }) }
    await console.api.call(STARTS[type], { params: { streamPath }, body })
    console.notify(words.started(streamPath))
  }
  return (
    <>
      <Button leftSection={<SquareCircleIcon />} onClick={() => setOpen(true)}>
        {words.record}
      </Button>
      {isOpen && (
        <FormDialog
          title={words.record}
          submitText={words.start}
          isReady={streamPath !== ''}
          onSubmit={start}
          onClose={() => setOpen(false)}
        >
          <StreamPicker label={words.stream} value={streamPath} onChange={setStreamPath} />
          <NativeSelect
            label={words.type}
            value={type}
            data={Object.keys(STARTS).map((value) => ({ value, label: TYPE_NAMES[value] ?? value }))}
            onChange={({ currentTarget }) => setType(currentTarget.value as StartedType)}
          />
          <TextInput label={words.fragment} description={words.fragmentText} {...field('fragment')} />
          <TextInput label={words.duration} description={words.durationText} {...field('duration')} />
          <TextInput label={words.folder} description={words.folderText} {...field('filePath')} />
        </FormDialog>
      )}
    </>
  )
}
