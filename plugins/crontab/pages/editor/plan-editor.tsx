import { Button, Group, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { PAGE, type PageConsole, type Plan } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { PlanStreams } from '../streams/plan-streams.tsx'
import { hoursText, presetHours, readHours } from '../week-hours.ts'
import { WeekEditor } from './week-editor.tsx'

const MAX_NAME = 255

type PlanEditorProps = {
  readonly console: PageConsole
  /** Undefined for a new one. */
  readonly plan: Plan | undefined
  readonly description: ReactNode
  readonly onSaved: () => Promise<void>
}

/** A plan that is changed: its name, whether it is on, its hours and its streams. */
export function PlanEditor({ console, plan, description, onSaved }: PlanEditorProps) {
  const words = console.words(WORDS)
  const { PageFrame, ConfirmButton } = console.components
  const { mayChange } = console.user
  const saved = {
    name: plan?.name ?? '',
    enable: plan?.enable ?? true,
    hours: plan === undefined ? presetHours('none') : readHours(plan.plan),
  }
  const [draft, setDraft] = useState(saved)
  const [isBusy, setBusy] = useState(false)
  const text = hoursText(draft.hours)
  const isChanged = plan === undefined || draft.name !== plan.name || draft.enable !== plan.enable || text !== plan.plan

  const save = async () => {
    setBusy(true)
    const body = { name: draft.name.trim(), enable: draft.enable, plan: text }
    await console.change(async () => {
      if (plan === undefined) {
        const { data } = await console.api.call('POST /plan/api/add', { body })
        console.navigate(`${PAGE}/${data.id}`)
      } else {
        await console.api.call('POST /plan/api/update/{id}', { params: { id: plan.id }, body })
        setDraft({ ...draft, name: body.name })
        await onSaved()
      }
    }, words.saved)
    setBusy(false)
  }
  const remove = async (id: number) => {
    const call = () => console.api.call('POST /plan/api/remove/{id}', { params: { id } })
    if (await console.change(call, words.removed)) console.navigate(PAGE)
  }
  const name = plan === undefined ? words.newPlan : plan.name || words.nameless
  return (
    <PageFrame
      title={name}
      description={description}
      actions={
        mayChange && (
          <>
            {plan !== undefined && (
              <ConfirmButton question={words.removeQuestion(name)} onConfirm={() => remove(plan.id)}>
                {words.remove}
              </ConfirmButton>
            )}
            {plan !== undefined && (
              <Button variant="default" disabled={!isChanged} onClick={() => setDraft(saved)}>
                {words.discard}
              </Button>
            )}
            <Button loading={isBusy} disabled={!isChanged} onClick={() => void save()}>
              {words.save}
            </Button>
          </>
        )
      }
    >
      <Group align="flex-end" gap="xl">
        <TextInput
          label={words.name}
          w={320}
          maw="100%"
          maxLength={MAX_NAME}
          disabled={!mayChange}
          value={draft.name}
          onChange={({ currentTarget: { value } }) => setDraft((before) => ({ ...before, name: value }))}
        />
        <Switch
          mb={8}
          label={words.enabled}
          disabled={!mayChange}
          checked={draft.enable}
          onChange={({ currentTarget: { checked } }) => setDraft((before) => ({ ...before, enable: checked }))}
        />
      </Group>
      <WeekEditor
        console={console}
        hours={draft.hours}
        onChange={(hours) => setDraft((before) => ({ ...before, hours }))}
      />
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.streams}
        </Title>
        <Text size="sm" c="dimmed">
          {plan === undefined ? words.streamsSaveFirst : words.streamsText}
        </Text>
        {plan !== undefined && <PlanStreams console={console} planId={plan.id} />}
      </Stack>
    </PageFrame>
  )
}
