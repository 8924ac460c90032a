import { Type, type Static } from 'sluice/sdk'
import type { DragZoomArea } from '../manscdp/controls.ts'

const MAX_PIXELS = 65_535

const Pixels = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_PIXELS, description })

/** An area within the window of a player, by the words of the standard. */
export const AREA_QUERY = Type.Object({
  length: Pixels('The width of the window of the player'),
  width: Pixels('The height of the window'),
  midPointX: Pixels('The centre of the area, from the left upper corner'),
  midPointY: Pixels('The centre of the area'),
  lengthX: Pixels('The width of the area'),
  lengthY: Pixels('The height of the area'),
})
type AreaQuery = Static<typeof AREA_QUERY>

const NAMES = Object.keys(AREA_QUERY.properties)

/** True when a query has all of an area. */
export function isArea(query: Partial<AreaQuery>): query is AreaQuery {
  return NAMES.every((name) => Object.hasOwn(query, name))
}

export function areaOf({ length, width, midPointX, midPointY, lengthX, lengthY }: AreaQuery): DragZoomArea {
  return {
    windowWidth: length,
    windowHeight: width,
    centerX: midPointX,
    centerY: midPointY,
    width: lengthX,
    height: lengthY,
  }
}
