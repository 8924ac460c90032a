import { Card, Switch } from '@mantine/core'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './alarms-words.ts'

type Props = {
  readonly console: Console<Paths>
  /** Undefined while it is asked for. */
  readonly isArmed: boolean | undefined
  readonly onChanged: () => Promise<void>
}

/** The switch of telling web services, and its present state. */
export function Arming({ console, isArmed, onChanged }: Props) {
  const words = console.words(WORDS)
  const arm = async (armed: boolean) => {
    const done = armed ? words.isArmed : words.isDisarmed
    await console.change(() => console.api.call('POST /api/arming/set', { body: { armed } }), done)
    await onChanged()
  }
  return (
    <Card withBorder>
      <Switch
        size="md"
        label={words.armed}
        description={isArmed === false ? words.disarmedText : words.armedText}
        checked={isArmed === true}
        disabled={isArmed === undefined || !console.user.mayChange}
        onChange={({ currentTarget }) => void arm(currentTarget.checked)}
      />
    </Card>
  )
}
