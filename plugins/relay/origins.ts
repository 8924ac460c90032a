/** The origins of pulls and pushes, as operators see them: a rule of the config, or the request of an operator. */
export const RULE = 'rule'
export const OPERATOR = 'operator'
