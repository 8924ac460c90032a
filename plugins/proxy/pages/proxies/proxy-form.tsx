import { Accordion, Autocomplete, NumberInput, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { nameOf, type Kind, type Proxy } from './proxy.ts'
import { fieldOf, NEW, pullBody, pushBody, UNSAID, valuesOf, type ProxyValues } from './proxy-values.ts'
import { WORDS } from './form-words.ts'

const TYPES = {
  pull: ['rtsp', 'rtmp', 'srt', 'webrtc', 'hls', 'flv', 'mp4', 'gb28181'],
  push: ['rtmp', 'rtsp', 'srt', 'webrtc'],
}

type Props = {
  readonly console: Console<Paths>
  readonly kind: Kind
  /** Undefined for one that is to be added. */
  readonly proxy: Proxy | undefined
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

/** The form of a proxy, beside the list. */
export function ProxyForm({ console, kind, proxy, onClose, onSaved }: Props) {
  const words = console.words(WORDS)
  const { FormDialog, StreamPicker } = console.components
  const [values, setValues] = useState(() => (proxy === undefined ? NEW : valuesOf(proxy)))
  const set = (changed: Partial<ProxyValues>) => setValues({ ...values, ...changed })

  /** The props of an input of text. */
  const text = (name: keyof ProxyValues & keyof typeof words) => ({
    label: words[name],
    value: String(values[name]),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  })
  const submit = async () => {
    await save({ console, kind, proxy, values })
    console.notify(proxy === undefined ? words.added : words.saved)
    await onSaved()
  }
  return (
    <FormDialog
      title={proxy === undefined ? words.add[kind] : words.edit(nameOf(proxy))}
      submitText={words.save}
      isLong
      fieldOf={fieldOf}
      onSubmit={submit}
      onClose={onClose}
    >
      {(refusalOf) => (
        <>
          <TextInput
            {...text('address')}
            {...refusalOf('address')}
            data-autofocus
            required={proxy === undefined}
            placeholder={proxy?.address ?? words.addressExample[kind]}
            {...(proxy && { description: words.addressKept })}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput {...text('name')} {...refusalOf('name')} />
          {kind === 'pull' ? (
            <TextInput
              {...text('streamPath')}
              {...refusalOf('streamPath')}
              description={words.streamPathText.pull}
              spellCheck={false}
            />
          ) : (
            <StreamPicker
              label={words.streamPath}
              description={words.streamPathText.push}
              value={values.streamPath}
              onChange={(streamPath) => set({ streamPath })}
              {...refusalOf('streamPath')}
            />
          )}
          <Radio.Group
            label={words.begins[kind]}
            value={values.beginsAlone ? 'alone' : 'demand'}
            onChange={(value) => set({ beginsAlone: value === 'alone' })}
          >
            <Stack gap="xs" mt={6}>
              <Radio value="demand" label={words.onDemand[kind]} />
              <Radio value="alone" label={words.atOnce[kind]} description={words.atOnceText[kind]} />
            </Stack>
          </Radio.Group>
          {kind === 'pull' && (
            <Switch
              label={words.stopOnIdle}
              description={words.stopOnIdleText}
              checked={values.stopOnIdle}
              onChange={({ currentTarget }) => set({ stopOnIdle: currentTarget.checked })}
            />
          )}
          <Switch
            label={words.audio}
            checked={values.audio}
            onChange={({ currentTarget }) => set({ audio: currentTarget.checked })}
          />
          <Accordion multiple variant="separated" defaultValue={openAtFirst(values)}>
            {kind === 'pull' && (
              <Accordion.Item value="recording">
                <Accordion.Control>{words.recording}</Accordion.Control>
                <Accordion.Panel>
                  <Stack>
                    <TextInput
                      {...text('recordPath')}
                      {...refusalOf('recordPath')}
                      description={words.recordPathText}
                      spellCheck={false}
                    />
                    <TextInput
                      {...text('recordFragment')}
                      {...refusalOf('recordFragment')}
                      description={words.recordFragmentText}
                      placeholder="0s"
                    />
                  </Stack>
                </Accordion.Panel>
              </Accordion.Item>
            )}
            <Accordion.Item value="more">
              <Accordion.Control>{words.more}</Accordion.Control>
              <Accordion.Panel>
                <Stack>
                  {kind === 'pull' && (
                    <TextInput
                      {...text('checkInterval')}
                      {...refusalOf('checkInterval')}
                      description={words.checkIntervalText}
                      placeholder="10s"
                    />
                  )}
                  <Autocomplete
                    label={words.type}
                    description={words.typeText}
                    data={TYPES[kind]}
                    value={values.type}
                    onChange={(type) => set({ type })}
                    {...refusalOf('type')}
                  />
                  <Textarea {...text('description')} {...refusalOf('description')} autosize minRows={2} />
                  <NumberInput
                    label={words.parentID}
                    description={words.parentIDText}
                    value={values.parentID}
                    min={0}
                    allowDecimal={false}
                    onChange={(parentID) => set({ parentID: Number(parentID) })}
                    {...refusalOf('parentID')}
                  />
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        </>
      )}
    </FormDialog>
  )
}

/** The folded parts that say something. */
function openAtFirst({ recordPath }: ProxyValues): string[] {
  return recordPath === '' ? [] : ['recording']
}

type Saved = Pick<Props, 'console' | 'kind' | 'proxy'> & { readonly values: ProxyValues }

/** Adds or changes the proxy. @throws {Error} with the message of the server when it refuses */
async function save({ console: { api }, kind, proxy, values }: Saved): Promise<void> {
  if (proxy === undefined) {
    if (kind === 'pull') await api.call('POST /api/proxy/pull/add', { body: pullBody(values, UNSAID) })
    else await api.call('POST /api/proxy/push/add', { body: pushBody(values, UNSAID) })
    return
  }
  const before = valuesOf(proxy)
  const { ID } = proxy
  if (kind === 'pull') await api.call('POST /api/proxy/pull/update', { body: { ID, ...pullBody(values, before) } })
  else await api.call('POST /api/proxy/push/update', { body: { ID, ...pushBody(values, before) } })
}
