import { ActionIcon, Burger, Group, Menu, Text, useMantineColorScheme } from '@mantine/core'
import { GlobeIcon, PersonIcon, SunIcon } from '@primer/octicons-react'
import { useContext } from 'react'
import { api } from '../kit/api-client.ts'
import { LanguageContext, useWords } from '../kit/language.ts'
import { session } from '../kit/session.ts'
import { UserContext } from '../kit/use-console.ts'
import { SHELL_WORDS } from './shell-words.ts'

type Props = { readonly isMenuOpen: boolean; readonly onMenu: () => void }

/** The bar above all pages: name, appearance, language, account. */
export function Header({ isMenuOpen, onMenu }: Props) {
  const words = useWords(SHELL_WORDS)
  const { setLanguage } = useContext(LanguageContext)
  const { setColorScheme } = useMantineColorScheme()
  const user = useContext(UserContext)
  const logOut = async () => {
    // The token ends here whether the server can be told or not.
    await api.call('POST /api/auth/logout', { body: {} } as never).catch(() => undefined)
    session.token = undefined
  }
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger opened={isMenuOpen} onClick={onMenu} hiddenFrom="md" size="sm" aria-label={words.menu} />
        <img src="./icon.svg" alt="" width={26} height={26} />
        <Text fw={650} size="lg">
          Sluice
        </Text>
      </Group>
      <Group gap={4} wrap="nowrap">
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.language}>
              <GlobeIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item lang="en" onClick={() => setLanguage('en')}>
              English
            </Menu.Item>
            <Menu.Item lang="zh" onClick={() => setLanguage('zh')}>
              中文
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.appearance}>
              <SunIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setColorScheme('light')}>{words.light}</Menu.Item>
            <Menu.Item onClick={() => setColorScheme('dark')}>{words.dark}</Menu.Item>
            <Menu.Item onClick={() => setColorScheme('auto')}>{words.auto}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        {session.token !== undefined && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.account}>
                <PersonIcon />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>{user.name}</Menu.Label>
              {!user.mayChange && <Menu.Label>{words.readOnly}</Menu.Label>}
              <Menu.Item onClick={() => void logOut()}>{words.logOut}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </Group>
  )
}
