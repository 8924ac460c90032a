import { Alert, Anchor, Button, Skeleton, Stack } from '@mantine/core'
import { AlertIcon, ArrowLeftIcon } from '@primer/octicons-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { isSame } from '../../kit/form/validator.ts'
import { changesOf, type Edits } from './changes.ts'
import { ChangeBar } from './change-bar.tsx'
import { CONFIG_WORDS } from './config-words.ts'
import { RawView } from './raw-view.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { SectionForm } from './section-form.tsx'
import { ENABLE_KEY } from './section-model.ts'
import { useProblems } from './use-problems.ts'
import { useSection, type LoadedSection } from './use-section.ts'

type Props = { readonly console: Console<Paths>; readonly name: string }

/** A section of the config. */
export function SectionPage({ console, name }: Props) {
  const words = console.words(CONFIG_WORDS)
  const { PageFrame, Problem } = console.components
  const { loaded, error, refresh } = useSection(console, name)
  const [isRaw, setRaw] = useState(false)
  const description = (
    <>
      <Anchor size="sm" c="dimmed" underline="always" {...console.link('/config')}>
        <ArrowLeftIcon size={14} /> {words.back}
      </Anchor>
      <br />
      {name === 'global' ? words.globalText : words.pluginText}
    </>
  )
  const actions = (
    <>
      <Button variant="default" size="xs" onClick={() => setRaw(true)}>
        {words.yaml}
      </Button>
      {loaded !== undefined && <TakeBackAll {...{ console, name, loaded, refresh }} />}
    </>
  )
  return (
    <PageFrame title={name} description={description} actions={actions}>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {loaded === undefined ? (
        error === undefined && (
          <Stack gap="sm" maw={1200}>
            {[36, 320, 52, 52, 52, 52].map((height, index) => (
              <Skeleton key={index} height={height} radius="md" />
            ))}
          </Stack>
        )
      ) : (
        <EditedSection {...{ console, name, loaded, refresh }} />
      )}
      {isRaw && <RawView console={console} name={name} onClose={() => setRaw(false)} />}
    </PageFrame>
  )
}

type LoadedProps = Props & { readonly loaded: LoadedSection; readonly refresh: () => Promise<void> }

function EditedSection({ console, name, loaded, refresh }: LoadedProps) {
  const words = console.words(CONFIG_WORDS)
  const [edits, setEdits] = useState<Edits>(new Map())
  const [isReviewed, setReviewed] = useState(false)
  const { section, isStorable } = loaded
  const changes = useMemo(() => changesOf(section, edits), [section, edits])
  const { problems, check } = useProblems(console, name, changes)
  const edit = useCallback(
    (path: string, value: unknown) => {
      setEdits((before) => {
        const next = new Map(before)
        if (value === undefined || isSame(value, section.leaves.get(path)?.value)) next.delete(path)
        else next.set(path, value)
        return next
      })
    },
    [section],
  )
  useUnsavedWarning(changes.length > 0)
  const saved = async () => {
    await refresh()
    setEdits(new Map())
    setReviewed(false)
  }
  return (
    <Stack gap="sm" maw={1200}>
      {!isStorable && console.user.mayChange && (
        <Alert color="yellow" icon={<AlertIcon />} title={words.noDatabase}>
          {words.noDatabaseText}
        </Alert>
      )}
      <SectionForm
        {...{ console, name, section, edits, problems }}
        enableLeaf={name === 'global' ? undefined : section.leaves.get(ENABLE_KEY)}
        onEdit={edit}
      />
      {changes.length > 0 && (
        <ChangeBar
          console={console}
          changes={changes}
          problems={problems}
          onDiscard={() => setEdits(new Map())}
          onReview={() => setReviewed(true)}
        />
      )}
      {isReviewed && (
        <ReviewDialog
          {...{ console, name, loaded, changes, problems, check, refresh }}
          onSaved={saved}
          onClose={() => setReviewed(false)}
        />
      )}
    </Stack>
  )
}

/** Takes back all that was set at run time in the section. */
function TakeBackAll({ console, name, loaded, refresh }: LoadedProps) {
  const words = console.words(CONFIG_WORDS)
  const { ConfirmButton } = console.components
  const { section, revision } = loaded
  const isModified = [...section.leaves.values()].some(({ source }) => source === 'modify')
  if (!isModified || !console.user.mayChange) return null
  const takeBack = async () => {
    const input = { params: { plugin: name }, body: { revision } }
    await console.change(() => console.api.call('POST /config/reset/{plugin}', input), words.takenBackAll)
    await refresh()
  }
  return (
    <ConfirmButton question={words.takeBackAllQuestion(name)} onConfirm={takeBack}>
      {words.takeBackAll}
    </ConfirmButton>
  )
}

/** Lets the browser ask before the page with what was typed is closed. */
function useUnsavedWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnsaved])
}
