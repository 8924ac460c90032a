import { useMediaQuery } from '@mantine/hooks'

const DESK = '(min-width: 62em)'
const WALL_SCREEN = '(min-width: 120em)'
const AT_ONCE = { getInitialValueInEffect: false }

/** The width of the screen: the parts of the page are below each other on a `phone`, and in three columns on a `wall`. */
export function useScreen(): 'phone' | 'desk' | 'wall' {
  const isDesk = useMediaQuery(DESK, true, AT_ONCE)
  const isWall = useMediaQuery(WALL_SCREEN, false, AT_ONCE)
  if (!isDesk) return 'phone'
  return isWall ? 'wall' : 'desk'
}
