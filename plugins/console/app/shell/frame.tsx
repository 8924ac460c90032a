import { AppShell } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useWords } from '../kit/language.ts'
import styles from './frame.module.css'
import { Header } from './header.tsx'
import { Menu } from './menu.tsx'
import { PageOutlet } from './page-outlet.tsx'
import { usePluginPages } from './plugin-pages.ts'
import { SHELL_WORDS } from './shell-words.ts'

const CONTENTS = 'contents'

/** The console: header, menu, and the page that is open. */
export function Frame() {
  const words = useWords(SHELL_WORDS)
  const pages = usePluginPages()
  const [isOpen, { toggle, close }] = useDisclosure()
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 228, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="lg"
      transitionDuration={0}
    >
      <button type="button" className={styles.skip} onClick={() => document.getElementById(CONTENTS)?.focus()}>
        {words.skip}
      </button>
      <AppShell.Header>
        <Header isMenuOpen={isOpen} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" className={styles.menu ?? ''} data-open={isOpen}>
        <Menu pages={pages ?? []} onChoice={close} />
      </AppShell.Navbar>
      <AppShell.Main id={CONTENTS} tabIndex={-1} className={styles.main ?? ''}>
        <PageOutlet pages={pages} />
      </AppShell.Main>
    </AppShell>
  )
}
