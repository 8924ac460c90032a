import { useEffect, useReducer } from 'react'
import { changeWall, EMPTY_WALL, parseWall, serializeWall, type WallLayout } from './wall-layout.ts'

const STORAGE_KEY = 'sluice.gb28181.wall'

/** The layout of the wall, which this browser keeps. */
export function useWall() {
  const [wall, change] = useReducer(changeWall, undefined, readStored)
  useEffect(() => {
    try {
      localStorage.setItem(STORAGE_KEY, serializeWall(wall))
    } catch {
      // A browser that keeps nothing begins with an empty wall.
    }
  }, [wall])
  return [wall, change] as const
}

function readStored(): WallLayout {
  try {
    return parseWall(localStorage.getItem(STORAGE_KEY))
  } catch {
    return EMPTY_WALL
  }
}
