import { Anchor, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Console, PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { LogView } from './log-view.tsx'
import { WORDS } from './log-words.ts'
import { useLog, type LogQuery } from './use-log.ts'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
const LOCALES = { en: 'en-GB', zh: 'zh-CN' } as const
/** Typing is over after this time. */
const TYPING_MS = 300

/** The log of the server, line by line. */
export default function Log({ console }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame } = console.components
  if (!console.user.mayChange) {
    return (
      <PageFrame title={words.title}>
        <Text>{words.adminsOnly}</Text>
      </PageFrame>
    )
  }
  const description = (
    <>
      {words.description}{' '}
      <Anchor size="sm" {...console.link('/config/global')} underline="always">
        {words.config}
      </Anchor>
    </>
  )
  return (
    <PageFrame title={words.title} description={description}>
      <LiveLog console={console} words={words} />
    </PageFrame>
  )
}

type Props = { readonly console: Console<Paths>; readonly words: (typeof WORDS)['en'] }

function LiveLog({ console, words }: Props) {
  const { Problem } = console.components
  const [level, setLevel] = useState('')
  const [plugin, setPlugin] = useState('')
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), TYPING_MS)
  const query = {
    ...(level !== '' && { level: level as NonNullable<LogQuery['level']> }),
    ...(plugin !== '' && { plugin }),
    ...(search !== '' && { search }),
  }
  const { lines, held, isPaused, dispatch, error } = useLog(console, query)
  return (
    <>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label={words.level}
          value={level}
          onChange={(event) => setLevel(event.currentTarget.value)}
          data={[{ value: '', label: words.allLevels }, ...LEVELS]}
        />
        <NativeSelect
          label={words.plugin}
          value={plugin}
          onChange={(event) => setPlugin(event.currentTarget.value)}
          data={[{ value: '', label: words.allPlugins }, ...usePluginNames(console)]}
        />
        <TextInput
          label={words.search}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={200}
        />
        <Button variant="default" onClick={() => dispatch({ kind: isPaused ? 'resumed' : 'paused' })}>
          {isPaused ? words.resume(held.length) : words.pause}
        </Button>
        <Button variant="default" onClick={() => dispatch({ kind: 'cleared', now: lines.at(-1)?.time ?? '' })}>
          {words.clear}
        </Button>
      </Group>
      {error !== undefined && <Problem error={error} />}
      <LogView lines={lines} words={words} locale={LOCALES[console.language]} />
    </>
  )
}

/** The names of all plugins, those included that do not run. */
function usePluginNames(console: Console<Paths>): readonly string[] {
  const running = console.useCall('GET /api/sysinfo')
  const stopped = console.useCall('GET /api/plugins/disabled')
  const plugins = [...(running.data?.data.plugins ?? []), ...(stopped.data?.data ?? [])]
  return plugins.map(({ name }) => name).toSorted()
}
