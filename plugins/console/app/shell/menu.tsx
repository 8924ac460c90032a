import { NavLink, ScrollArea, Text } from '@mantine/core'
import { BrowserIcon, LinkExternalIcon } from '@primer/octicons-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../kit/api-client.ts'
import { useLanguage, useWords } from '../kit/language.ts'
import { OWN_PAGES } from '../pages/own-pages.ts'
import styles from './menu.module.css'
import type { PluginPage } from './plugin-pages.ts'
import { SHELL_WORDS } from './shell-words.ts'

/** The groups in their order; those that plugins add come last. */
const GROUPS = ['live', 'recording', 'devices', 'server']

type Entry = {
  readonly path: string
  readonly title: string
  readonly group: string
  readonly icon: ReactNode
  readonly isOutside: boolean
}

type Props = { readonly pages: readonly PluginPage[]; readonly onChoice: () => void }

/** The menu of all pages, those of the server and of its plugins, in groups. */
export function Menu({ pages, onChoice }: Props) {
  const language = useLanguage()
  const words = useWords(SHELL_WORDS)
  const [location] = useLocation()
  const entries: readonly Entry[] = [
    ...OWN_PAGES.map(({ path, titles, group, icon: Icon }) => ({
      path: `/${path}`,
      title: titles[language],
      group,
      icon: <Icon />,
      isOutside: false,
    })),
    ...pages.map(({ path, title, group, icon, kind }) => ({
      path,
      title,
      group,
      icon: icon === undefined ? <BrowserIcon /> : <PageIcon address={icon} />,
      isOutside: kind === 'link',
    })),
  ]
  const groups = [...new Set([...GROUPS, ...entries.map(({ group }) => group)])]
  return (
    <ScrollArea className={styles.menu ?? ''} type="scroll">
      <nav aria-label={words.menu}>
        {groups.map((group) => {
          const members = entries.filter((entry) => entry.group === group)
          return members.length === 0 ? null : (
            <div key={group} className={styles.group}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
                {words.groups[group] ?? group}
              </Text>
              {members.map((entry) => (
                <MenuLink key={entry.path} entry={entry} isActive={isAt(location, entry.path)} onChoice={onChoice} />
              ))}
            </div>
          )
        })}
      </nav>
    </ScrollArea>
  )
}

function MenuLink({ entry, isActive, onChoice }: { entry: Entry; isActive: boolean; onChoice: () => void }) {
  const { path, title, icon, isOutside } = entry
  const common = { label: title, leftSection: icon, className: styles.link ?? '' }
  if (isOutside) {
    return (
      <NavLink
        {...common}
        component="a"
        href={api.url(path)}
        target="_blank"
        rightSection={<LinkExternalIcon size={12} />}
      />
    )
  }
  return (
    <NavLink
      {...common}
      component={Link}
      href={path}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      onClick={onChoice}
    />
  )
}

/** The picture of a plugin's page in the colour of the text. */
function PageIcon({ address }: { readonly address: string }) {
  return <span className={styles.icon} style={{ maskImage: `url(${JSON.stringify(api.url(address))})` }} aria-hidden />
}

function isAt(location: string, path: string): boolean {
  return location === path || location.startsWith(`${path}/`)
}
