import { Accordion, Autocomplete, NumberInput, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './form-words.ts'
import { DURATIONS, fieldOf, NEW_PULL, NUMBERS, pullBody, SWITCHES, type PullValues, type Term } from './pull-values.ts'

const PROTOCOLS = ['rtsp', 'rtmp', 'srt', 'webrtc', 'hls', 'flv', 'mp4', 'gb28181']

type Props = {
  readonly console: Console<Paths>
  readonly onClose: () => void
  readonly onBegun: () => Promise<void>
}

/** The form of a pull. */
export function PullForm({ console, onClose, onBegun }: Props) {
  const words = console.words(WORDS)
  const { FormDialog } = console.components
  const [values, setValues] = useState(NEW_PULL)
  const set = (changed: Partial<PullValues>) => setValues({ ...values, ...changed })
  const setTerm = (name: Term, text: string) => set({ terms: { ...values.terms, [name]: text } })
  const begin = async () => {
    await console.api.call('POST /api/stream/pull', { body: pullBody(values) })
    console.notify(words.pullBegun)
    await onBegun()
  }
  return (
    <FormDialog title={words.pull} submitText={words.begin} isLong fieldOf={fieldOf} onSubmit={begin} onClose={onClose}>
      {(refusalOf) => (
        <>
          <TextInput
            label={words.source}
            description={words.sourceText}
            placeholder="rtsp://user:password@192.0.2.10/stream1"
            data-autofocus
            required
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={values.remoteURL}
            onChange={({ currentTarget }) => set({ remoteURL: currentTarget.value })}
            {...refusalOf('remoteURL')}
          />
          <TextInput
            label={words.streamPath}
            description={words.pullPathText}
            spellCheck={false}
            value={values.streamPath}
            onChange={({ currentTarget }) => set({ streamPath: currentTarget.value })}
            {...refusalOf('streamPath')}
          />
          <Accordion multiple variant="separated">
            <Accordion.Item value="source">
              <Accordion.Control>{words.sourceTerms}</Accordion.Control>
              <Accordion.Panel>
                <Stack>
                  <Autocomplete
                    label={words.protocol}
                    description={words.protocolText}
                    data={PROTOCOLS}
                    value={values.protocol}
                    onChange={(protocol) => set({ protocol })}
                    {...refusalOf('protocol')}
                  />
                  <NumberInput
                    label={words.loop}
                    description={words.loopText}
                    min={-1}
                    allowDecimal={false}
                    value={values.loop}
                    onChange={(loop) => set({ loop: Number(loop) })}
                    {...refusalOf('loop')}
                  />
                  <Switch
                    label={words.test}
                    description={words.testText}
                    checked={values.isTest}
                    onChange={({ currentTarget }) => set({ isTest: currentTarget.checked })}
                  />
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
            <Accordion.Item value="publisher">
              <Accordion.Control>{words.publisher}</Accordion.Control>
              <Accordion.Panel>
                <Stack>
                  <Text size="xs" c="dimmed">
                    {words.publisherText}
                  </Text>
                  {SWITCHES.map((name) => (
                    <Select
                      key={name}
                      label={words.terms[name]}
                      placeholder={words.asConfigured}
                      clearable
                      clearButtonProps={{ 'aria-label': words.asConfigured }}
                      data={[
                        { value: 'true', label: words.yes },
                        { value: 'false', label: words.no },
                      ]}
                      value={values.terms[name] ?? null}
                      onChange={(text) => setTerm(name, text ?? '')}
                      {...refusalOf(name)}
                    />
                  ))}
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    {[...DURATIONS, ...NUMBERS].map((name) => (
                      <TextInput
                        key={name}
                        label={words.terms[name]}
                        {...(isDuration(name) && { placeholder: words.durationExample })}
                        value={values.terms[name] ?? ''}
                        onChange={({ currentTarget }) => setTerm(name, currentTarget.value)}
                        styles={{ root: { display: 'flex', flexDirection: 'column', justifyContent: 'flex-end' } }}
                        {...refusalOf(name)}
                      />
                    ))}
                  </SimpleGrid>
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
          <Text size="xs" c="dimmed">
            {words.once}
          </Text>
        </>
      )}
    </FormDialog>
  )
}

function isDuration(name: Term): boolean {
  return DURATIONS.some((duration) => duration === name)
}
