// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts-upgradeable/proxy/utils/UUPSUpgradeable.sol";

contract Box is Initializable, OwnableUpgradeable, UUPSUpgradeable {
    uint256 public value;

    function initialize(uint256 start) external initializer {
        __Ownable_init(msg.sender);
        value = start;
    }

    function version() external pure virtual returns (string memory) {
        return "one";
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// @custom:oz-upgrades-unsafe-allow missing-initializer
contract BoxTwo is Box {
    function version() external pure override returns (string memory) {
        return "two";
    }

    function increase() external {
        value += 1;
    }
}

contract PlainBox is Initializable {
    uint256 public value;

    function initialize(uint256 start) external initializer {
        value = start;
    }
}

/// @custom:oz-upgrades-unsafe-allow missing-initializer
contract PlainBoxTwo is PlainBox {
    function increase() external {
        value += 1;
    }
}
