import { Anchor, type AnchorProps } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

type Props = AnchorProps & {
  readonly console: Console<Paths>
  /** An address of the console, as `navigate` takes it. */
  readonly to: string
  readonly children: ReactNode
}

/** A link to another page of the console, which is opened without loading the console anew. */
export function PageLink({ console, to, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    // Other clicks open a tab or a window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    console.navigate(to)
  }
  return (
    <Anchor size="sm" underline="always" {...rest} href={console.href(to)} onClick={follow}>
      {children}
    </Anchor>
  )
}
