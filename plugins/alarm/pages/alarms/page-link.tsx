import { Anchor } from '@mantine/core'
import type { MouseEvent } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'

type Props = {
  readonly console: Console<Paths>
  /** An address of the console, as `navigate` takes it. */
  readonly to: string
  readonly children: string
}

/** A link to another page of the console, also within a row that opens something else. */
export function PageLink({ console, to, children }: Props) {
  const follow = (event: MouseEvent) => {
    event.stopPropagation()
    // Other clicks open a tab or a window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    console.navigate(to)
  }
  return (
    <Anchor size="sm" href={console.href(to)} onClick={follow} style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Anchor>
  )
}

/** The address of the page of a stream. */
export function streamPage(streamPath: string): string {
  return `/streams/${streamPath.split('/').map(encodeURIComponent).join('/')}`
}
