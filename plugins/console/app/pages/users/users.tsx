import { Anchor, Alert, Code, Text } from '@mantine/core'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { TokenList } from './token-list.tsx'
import { UserList } from './user-list.tsx'
import { WORDS } from './users-words.ts'

/** The name that everybody has while login is off. */
const ANONYMOUS = 'anonymous'

/** The people who may log in, and the tokens of programs. */
export default function Users({ console }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame } = console.components
  const { name, mayChange } = console.user
  if (!mayChange) {
    return (
      <PageFrame title={words.title}>
        <Text>{words.adminsOnly}</Text>
      </PageFrame>
    )
  }
  return (
    <PageFrame title={words.title}>
      {name === ANONYMOUS && (
        <Alert color="blue" title={words.loginOff}>
          {words.loginOffText} <Code>admin.enablelogin</Code>.{' '}
          <Anchor size="sm" {...console.link('/config/global')} underline="always" c="inherit">
            {words.globalConfig}
          </Anchor>
        </Alert>
      )}
      <UserList console={console} words={words} />
      <TokenList console={console} words={words} />
    </PageFrame>
  )
}
