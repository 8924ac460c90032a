import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useContext, useId, useState } from 'react'
import type { JsonFormProps } from 'sluice/sdk/console'
import { useWords } from '../language.ts'
import { Problem } from '../problem.tsx'
import { UserContext } from '../use-console.ts'
import { FORM_WORDS } from './form-words.ts'
import SchemaForm from './schema-form.tsx'

type Values = JsonFormProps['value']

export default function JsonForm({ schema, value, onSubmit }: JsonFormProps) {
  const words = useWords(FORM_WORDS)
  const { mayChange } = useContext(UserContext)
  const id = useId()
  const [base, setBase] = useState(value)
  const [draft, setDraft] = useState<Values>(value)
  const [state, setState] = useState<'idle' | 'busy' | 'saved' | Error>('idle')
  if (base !== value) {
    // Newer values of the server replace what was typed only when they differ from those before.
    setBase(value)
    setDraft(value)
  }
  const submit = async (values: Values) => {
    setState('busy')
    try {
      await onSubmit(values)
      setState('saved')
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const change = (next: unknown) => {
    setDraft(next as Values)
    setState((before) => (before === 'saved' ? 'idle' : before))
  }
  return (
    <Card withBorder>
      <SchemaForm
        id={id}
        schema={schema}
        value={draft}
        onChange={change}
        onSubmit={(values) => void submit(values as Values)}
        isReadOnly={!mayChange}
        withDefaults
      >
        <Stack gap="sm" mt="md">
          {state instanceof Error && <Problem error={state} />}
          {mayChange && (
            <Group>
              <Button type="submit" loading={state === 'busy'}>
                {words.save}
              </Button>
              <Text size="sm" aria-live="polite">
                {state === 'saved' ? words.saved : ''}
              </Text>
            </Group>
          )}
        </Stack>
      </SchemaForm>
    </Card>
  )
}
