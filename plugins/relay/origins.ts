/** The words by which operators see whose pull or push it is: a rule of the config wants it, or an operator has asked for it. */
export const RULE = 'rule'
export const OPERATOR = 'operator'
