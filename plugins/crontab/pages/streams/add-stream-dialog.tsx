import { Button, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { PlusIcon } from '@primer/octicons-react'
import { useState, type FormEvent } from 'react'
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
  const { StreamPicker } = console.components
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [streamPath, setStreamPath] = useState('')
  const [terms, setTerms] = useState({ recordType: 'mp4', fragment: '10m', filePath: '' })
  const field = (name: keyof typeof terms) => ({
    value: terms[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      setTerms((before) => ({ ...before, [name]: value })),
  })
  const add = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const body = { planId, streamPath, ...terms, enable: true }
    const call = () => console.api.call('POST /planstream/api/add', { body })
    if (await console.change(call, words.streamAdded(streamPath))) {
      setOpen(false)
      setStreamPath('')
    }
    setBusy(false)
    await onAdded()
  }
  return (
    <>
      <Button size="xs" variant="light" leftSection={<PlusIcon />} onClick={() => setOpen(true)}>
        {words.addStream}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.addStream}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <form onSubmit={(event) => void add(event)}>
          <Stack>
            <StreamPicker label={words.stream} value={streamPath} onChange={setStreamPath} />
            <NativeSelect
              label={words.type}
              data={Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }))}
              {...field('recordType')}
            />
            <TextInput label={words.fragment} description={words.fragmentText} {...field('fragment')} />
            <TextInput label={words.folder} description={words.folderText} {...field('filePath')} />
            <Button type="submit" loading={isBusy} disabled={streamPath === ''}>
              {words.addStream}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
