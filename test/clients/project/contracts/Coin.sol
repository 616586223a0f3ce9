// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

contract Coin is ERC20, ERC20Permit {
    constructor(uint256 supply) ERC20("Coin", "COIN") ERC20Permit("Coin") {
        _mint(msg.sender, supply);
    }
}
