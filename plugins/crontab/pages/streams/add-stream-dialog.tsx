import { Button, NativeSelect, TextInput } from '@mantine/core'
import { PlusIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'

/** The types of recordings, and their names for people. */
export const TYPE_NAMES: Readonly<Record<string, string>> = { mp4: 'MP4', flv: 'FLV', hls: 'MPEG-TS', hlsv7: 'fMP4' }

type AddStreamDialogProps = {
  readonly console: PageConsole
  readonly planId: number
  readonly onAdded: () => Promise<void>
}

/** A button with the dialog that has a plan record a stream. */
export function AddStreamDialog({ console, planId, onAdded }: AddStreamDialogProps) {
  const words = console.words(WORDS)
  const { FormDialog, StreamPicker } = console.components
  const [isOpen, setOpen] = useState(false)
  const [streamPath, setStreamPath] = useState('')
  const [terms, setTerms] = useState({ recordType: 'mp4', fragment: '10m', filePath: '' })
  const field = (name: keyof typeof terms) => ({
    value: terms[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      setTerms((before) => ({ ...before, [name]: value })),
  })
  const add = async () => {
    await console.api.call('POST /planstream/api/add', { body: { planId, streamPath, ...terms, enable: true } })
    console.notify(words.streamAdded(streamPath))
    setStreamPath('')
    await onAdded()
  }
  return (
    <>
      <Button size="xs" variant="light" leftSection={<PlusIcon />} onClick={() => setOpen(true)}>
        {words.addStream}
      </Button>
      {isOpen && (
        <FormDialog
          title={words.addStream}
          submitText={words.addStream}
          isReady={streamPath !== ''}
          onSubmit={add}
          onClose={() => setOpen(false)}
        >
          <StreamPicker label={words.stream} value={streamPath} onChange={setStreamPath} />
          <NativeSelect
            label={words.type}
            data={Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }))}
            {...field('recordType')}
          />
          <TextInput label={words.fragment} description={words.fragmentText} {...field('fragment')} />
          <TextInput label={words.folder} description={words.folderText} {...field('filePath')} />
        </FormDialog>
      )}
    </>
  )
}
